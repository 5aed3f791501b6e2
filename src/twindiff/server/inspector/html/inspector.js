"use strict";
// All pages work without this: it makes sliders show where they stand, and timelines go on by themselves.

for (const form of document.querySelectorAll("[data-slider]")) {
  const range = form.querySelector("input[type=range]");
  range.addEventListener("input", () => { form.querySelector("output").textContent = range.value; });
  range.addEventListener("change", () => form.requestSubmit());
}

for (const body of document.querySelectorAll("[data-live]")) {
  const status = document.querySelector("[data-status]");
  const stream = new EventSource(body.dataset.live);
  stream.addEventListener("open", () => { status.textContent = "Live"; });
  stream.addEventListener("error", () => { status.textContent = "The server does not answer; trying again"; });
  stream.addEventListener("ended", () => { status.textContent = "The environment has ended"; stream.close(); });
  stream.addEventListener("rows", (event) => {
    const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 40;
    // The server has escaped what stands in these rows, as it does for the page itself.
    const rows = document.createElement("template");
    rows.innerHTML = `<table><tbody>${event.data}</tbody></table>`;
    for (const row of rows.content.querySelectorAll("tr")) {
      if (!document.getElementById(row.id)) body.append(row);
    }
    document.querySelector("[data-empty]")?.remove();
    if (atEnd) window.scrollTo({ top: document.documentElement.scrollHeight });
  });
  window.addEventListener("pagehide", () => stream.close());
}

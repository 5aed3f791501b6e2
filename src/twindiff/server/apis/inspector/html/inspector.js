"use strict";
// All pages work without this: it makes sliders show where they stand, and timelines and lists go on by themselves.

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

for (const list of document.querySelectorAll("[data-refresh]")) {
  const stream = new EventSource(list.dataset.refresh);
  const refresh = async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(list.id);
    if (fresh && !list.contains(document.activeElement)) list.replaceChildren(...fresh.childNodes);
  };
  stream.addEventListener("changed", refresh);
  list.addEventListener("focusout", (event) => { if (!list.contains(event.relatedTarget)) refresh(); });
  window.addEventListener("pagehide", () => stream.close());
}

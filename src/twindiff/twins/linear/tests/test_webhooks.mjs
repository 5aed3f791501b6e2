// Linear's own webhook handler judges a delivery: as it came, changed on the way, and signed with another secret.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const found = require.resolve(`${process.env.LINEAR_SDK}/webhooks`);
const { LinearWebhookClient } = await import(pathToFileURL(found));
const { path, headers } = JSON.parse(readFileSync(process.env.DELIVERY));
const body = readFileSync(path);

async function judged(secret, body) {
  const handler = new LinearWebhookClient(secret).createHandler();
  const heard = [];
  handler.on("Issue", (payload) => heard.push(payload.action, payload.data.title));
  const answer = await handler(new Request("http://localhost/", { method: "POST", headers, body }));
  return [answer.status, ...heard];
}

const changed = Buffer.from(body.toString().replace("arm", "leg"));
console.log(
  JSON.stringify({
    asItCame: await judged(process.env.SECRET, body),
    changed: await judged(process.env.SECRET, changed),
    strange: await judged("another", body),
  }),
);

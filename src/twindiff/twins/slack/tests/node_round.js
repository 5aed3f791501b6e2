// Every family of methods through the vendor's own client for Node: node node_round.js <package> <url> <token> <channel> <person> <ts>
const [, , source, url, token, channel, person, ts] = process.argv;
const { WebClient, LogLevel } = require(source);
const slack = new WebClient(token, { slackApiUrl: url, retryConfig: { retries: 0 }, logLevel: LogLevel.ERROR });
const done = [];

async function step(name, act) {
  const answer = await act();
  if (!answer.ok) throw new Error(`${name} answered ${JSON.stringify(answer)}`);
  done.push(name);
  return answer;
}

async function refused(name, code, act) {
  try {
    await act();
  } catch (error) {
    if (error.data && error.data.error === code) return done.push(name);
    throw error;
  }
  throw new Error(`${name} was not refused`);
}

async function round() {
  const item = { channel, timestamp: ts };
  const modal = { type: "modal", title: { type: "plain_text", text: "Order" }, blocks: [{ type: "divider" }] };
  const text = { type: "markdown", markdown: "# One" };
  await step("api.test", () => slack.api.test({ foo: "bar" }));
  await step("auth.test", () => slack.auth.test());
  await step("bookmarks", () => slack.bookmarks.add({ channel_id: channel, title: "a", type: "link", link: "https://a.b" }));
  const canvas = await step("canvases.create", () => slack.canvases.create({ title: "Plan", document_content: text }));
  const change = { operation: "insert_at_end", document_content: text };
  await step("canvases.edit", () => slack.canvases.edit({ canvas_id: canvas.canvas_id, changes: [change] }));
  await step("chat.postMessage", () => slack.chat.postMessage({ channel, text: "hi", blocks: [{ type: "divider" }] }));
  await step("chat.postEphemeral", () => slack.chat.postEphemeral({ channel, user: person, text: "psst" }));
  await step("conversations.list", () => slack.conversations.list({ types: "public_channel,im", exclude_archived: true }));
  await step("conversations.mark", () => slack.conversations.mark({ channel, ts }));
  await step("dnd", () => slack.dnd.setSnooze({ num_minutes: 5 }));
  await step("emoji", () => slack.emoji.list());
  const uploaded = await step("files.uploadV2", () =>
    slack.files.uploadV2({ channel_id: channel, initial_comment: "look", file: Buffer.from([0, 255, 13, 10]), filename: "a.png" }));
  const file = uploaded.files[0].files[0];
  const bytes = await (await fetch(file.url_private, { headers: { Authorization: `Bearer ${token}` } })).arrayBuffer();
  if (Buffer.compare(Buffer.from(bytes), Buffer.from([0, 255, 13, 10]))) throw new Error("other bytes came back");
  await step("files.uploadV2 of text", () => slack.files.uploadV2({ channel_id: channel, content: "hello", filename: "a.txt" }));
  await step("files.info", () => slack.files.info({ file: file.id }));
  await step("pins", () => slack.pins.add(item));
  await step("reactions.add", () => slack.reactions.add({ ...item, name: "eyes" }));
  await step("reactions.list", () => slack.reactions.list());
  await step("reminders", () => slack.reminders.add({ text: "water", time: "in 5 minutes" }));
  await step("search.messages", () => slack.search.messages({ query: "hi" }));
  await step("search.files", () => slack.search.files({ query: "a.png" }));
  await step("stars", () => slack.stars.add(item));
  await step("team.info", () => slack.team.info());
  const group = await step("usergroups.create", () => slack.usergroups.create({ name: "Night" }));
  await step("usergroups.users", () => slack.usergroups.users.update({ usergroup: group.usergroup.id, users: person }));
  await step("users.list", () => slack.users.list({ limit: 2 }));
  await step("users.profile.set", () => slack.users.profile.set({ profile: { status_text: "out" } }));
  await step("views.open", () => slack.views.open({ trigger_id: "1.2.ab", view: modal }));
  await step("views.publish", () => slack.views.publish({ user_id: person, view: { type: "home", blocks: [] } }));
  await refused("conversations.info", "channel_not_found", () => slack.conversations.info({ channel: "C0NOPE000" }));
  await refused("oauth.v2.access", "invalid_code", () => slack.oauth.v2.access({ code: "c" }));
  await step("auth.revoke", () => slack.auth.revoke());
}

round().then(
  () => console.log(JSON.stringify(done)),
  (error) => {
    console.error(error, done);
    process.exit(1);
  },
);

// A round of npm's @notionhq/client: a page, blocks, a database with rows, a query, a comment, an upload, an agent, an error.
import { createRequire } from "node:module";
import path from "node:path";

const [folder, url, token, home] = process.argv.slice(2);
const { Client, isFullPage, collectPaginatedAPI } = createRequire(path.join(folder, "package.json"))(folder);
const notion = new Client({ auth: token, baseUrl: url });

const title = (content) => [{ text: { content } }];
const page = await notion.pages.create({ parent: { page_id: home }, properties: { title: title("From Node") } });
await notion.blocks.children.append({
  block_id: page.id,
  children: [{ paragraph: { rich_text: title("one") } }, { to_do: { rich_text: title("two"), checked: true } }],
});
const blocks = await collectPaginatedAPI(notion.blocks.children.list, { block_id: page.id, page_size: 1 });
const database = await notion.databases.create({
  parent: { type: "page_id", page_id: page.id },
  title: title("Rows"),
  initial_data_source: { properties: { Name: { title: {} }, Size: { number: {} } } },
});
const source = database.data_sources[0].id;
for (const size of [1, 2, 3]) {
  const properties = { Name: { title: title(`row ${size}`) }, Size: { number: size } };
  await notion.pages.create({ parent: { data_source_id: source }, properties });
}
const large = await notion.dataSources.query({
  data_source_id: source,
  filter: { property: "Size", number: { greater_than: 1 } },
  sorts: [{ property: "Size", direction: "descending" }],
});
const comment = await notion.comments.create({ parent: { page_id: page.id }, rich_text: title("hi") });
const upload = await notion.fileUploads.create({ filename: "a.txt", content_type: "text/plain" });
const file = { filename: "a.txt", data: new Blob(["Hello"], { type: "text/plain" }) };
const sent = await notion.fileUploads.send({ file_upload_id: upload.id, file });
const me = await notion.users.me({});
const streamed = [];
for await (const event of notion.sessions.stream({ message: "Hello" })) streamed.push(event.type);
const { results: agents } = await notion.agents.query({ filter: { property: "agent_type", string: { equals: "notion_ai" } } });
let refused = "";
try {
  await notion.pages.retrieve({ page_id: "00000000-0000-4000-8000-00000000dead" });
} catch (error) {
  refused = error.code;
}
console.log(
  JSON.stringify({
    isFull: isFullPage(page),
    blocks: blocks.map((block) => block.type),
    rows: large.results.map((row) => row.properties.Size.number),
    comment: comment.rich_text[0].plain_text,
    upload: sent.status,
    me: me.type,
    streamed,
    agents: agents.map((agent) => agent.name),
    refused,
  }),
);

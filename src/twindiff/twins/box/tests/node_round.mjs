// A round of npm's box-node-sdk: a folder, a file with two versions, a search, a link, a colleague, a move, the trash,
// a large file in parts, and what has some metadata.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

const [folder, url, token, colleague] = process.argv.slice(2);
const { BoxClient, BoxDeveloperTokenAuth } = createRequire(path.join(folder, "package.json"))(folder);
const auth = new BoxDeveloperTokenAuth({ token });
const client = new BoxClient({ auth }).withCustomBaseUrls({
  baseUrl: url,
  uploadUrl: `${url}/api`,
  oauth2Url: `${url}/oauth2`,
});

const bytes = (data) => Readable.from([Buffer.from(data)]);
const outer = await client.folders.createFolder({ name: "outer", parent: { id: "0" } });
const attributes = { name: "plan.txt", parent: { id: "0" } };
const file = (await client.uploads.uploadFile({ attributes, file: bytes("harbour one") })).entries[0];
const second = { attributes: { name: "plan.txt" }, file: bytes("harbour two") };
const changed = (await client.uploads.uploadFileVersion(file.id, second)).entries[0];
const down = await text(await client.downloads.downloadFile(file.id));
const found = await client.search.searchForContent({ query: "harbour" });
const link = { sharedLink: { access: "open" } };
const linked = await client.sharedLinksFiles.addShareLinkToFile(file.id, link, { fields: "shared_link" });
const collaboration = await client.userCollaborations.createCollaboration({
  item: { type: "file", id: file.id },
  accessibleBy: { type: "user", id: colleague },
  role: "viewer",
});
const moved = await client.files.updateFileById(file.id, { requestBody: { parent: { id: outer.id } } });
await client.folders.deleteFolderById(outer.id, { queryParams: { recursive: true } });
const trashed = (await client.trashedItems.getTrashedItems()).entries.map((each) => each.name);
const restored = await client.trashedFolders.restoreFolderFromTrash(outer.id);

const size = 61_000_000;
const large = Buffer.alloc(size, "0123456789abcdef");
const pieces = Array.from({ length: 61 }, (_, at) => large.subarray(at * 1_000_000, (at + 1) * 1_000_000));
const whole = await client.chunkedUploads.uploadBigFile(Readable.from(pieces), "large.bin", size, "0");
const isWhole = whole.sha1 === createHash("sha1").update(large).digest("hex");

const template = await client.metadataTemplates.createMetadataTemplate({
  scope: "enterprise",
  displayName: "Order",
  templateKey: "order",
  fields: [{ type: "float", key: "amount", displayName: "Amount" }],
});
for (const [at, name] of ["small.txt", "big.txt", "bigger.txt"].entries()) {
  const order = { attributes: { name, parent: { id: "0" } }, file: bytes(name) };
  const { id } = (await client.uploads.uploadFile(order)).entries[0];
  await client.fileMetadata.createFileMetadataById(id, "enterprise", "order", { amount: at * 10 });
}
const queried = await client.search.searchByMetadataQuery({
  from: `${template.scope}.order`,
  query: "amount >= :least",
  queryParams: { least: 10 },
  ancestorFolderId: "0",
  orderBy: [{ fieldKey: "amount", direction: "DESC" }],
  fields: ["name"],
});

const refused = await client.files.getFileById("1").catch((error) => error);
console.log(
  JSON.stringify({
    etag: changed.etag,
    down,
    found: found.entries.map((each) => each.name),
    isLinked: linked.sharedLink.url.length > 0,
    role: collaboration.role,
    parent: moved.parent.name,
    trashed,
    restored: restored.name,
    isWhole,
    queried: queried.entries.map((each) => each.name),
    refused: refused.responseInfo.statusCode,
  }),
);

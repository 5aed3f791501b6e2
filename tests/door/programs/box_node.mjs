// What Box's command line does with the client that it is built on: signs in by the JWT configuration file, and works
// with files. The configuration is that which Box's developer console hands out.
import { createRequire } from "module";
import { createHash } from "crypto";
import { readFileSync } from "fs";

const BoxSDK = createRequire(`${process.env.PROGRAMS}/`)("box-node-sdk");
const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const client = BoxSDK.getPreconfiguredInstance(config).getAppAuthClient("enterprise", config.enterpriseID);
const steps = {};
const folder = await client.folders.create("0", "by-sdk");
const file = (await client.files.uploadFile(folder.id, "plan.txt", Buffer.from("harbour one"))).entries[0];
const items = await client.folders.getItems(folder.id);
steps.listed = items.entries.map((each) => each.name).join();
const target = await client.folders.create("0", "target");
await client.files.move(file.id, target.id);
steps.moved = (await client.files.get(file.id)).parent.name;
const shared = await client.files.update(file.id, { shared_link: { access: "open" }, fields: "shared_link" });
steps.shared = shared.shared_link.effective_access;
steps.searched = (await client.search.query("plan.txt")).entries.map((each) => each.name).join();
const size = 20_000_001;
const large = Buffer.alloc(size, "0123456789abcdef");
const uploader = await client.files.getChunkedUploader(target.id, size, "large.bin", large);
const whole = (await uploader.start()).entries[0];
steps.whole = whole.sha1 === createHash("sha1").update(large).digest("hex");
const stream = await client.files.getReadStream(file.id);
let text = "";
for await (const part of stream) text += part;
steps.read = text;
await client.files.delete(file.id);
steps.deleted = (await client.files.get(file.id)).item_status;
console.log(JSON.stringify(steps));

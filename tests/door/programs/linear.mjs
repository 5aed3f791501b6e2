import { createRequire } from "module";

const { LinearClient } = createRequire(`${process.env.PROGRAMS}/`)("@linear/sdk");
const client = new LinearClient({ apiKey: process.env.LINEAR_API_KEY });
const viewer = await client.viewer;
const team = (await client.teams()).nodes[0];
const made = await client.createIssue({ teamId: team.id, title: "by the SDK" });
console.log(viewer.name, made.success);

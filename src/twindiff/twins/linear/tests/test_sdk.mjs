// What a program does with Linear's own SDK: LINEAR_SDK is the package's folder, LINEAR_URL the twin, LINEAR_KEY the key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { readFileSync } from "node:fs";

const folder = process.env.LINEAR_SDK;
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const entry = manifest.exports?.["."]?.import?.default ?? manifest.exports?.["."]?.import ?? manifest.module ?? manifest.main;
const { LinearClient, PaginationOrderBy, IssueRelationType } = await import(pathToFileURL(join(folder, entry)).href);
const linear = new LinearClient({ apiKey: process.env.LINEAR_KEY, apiUrl: process.env.LINEAR_URL });

const teams = await linear.teams();
const team = teams.nodes.find((each) => each.key === "HUL");
const state = async (name) => (await team.states()).nodes.find((each) => each.name === name);
const issue = async (title, more = {}) => (await linear.createIssue({ teamId: team.id, title, ...more })).issue;

test("the viewer is the agent", async () => {
  const me = await linear.viewer;
  assert.equal(me.name, "Harbour Agent");
  assert.ok((await me.teams()).nodes.some((each) => each.id === team.id));
});

test("an issue is created and read back by its identifier", async () => {
  const made = await issue("Weld the new bracket", { priority: 2, description: "Both sides." });
  const read = await linear.issue(made.identifier);
  assert.equal(read.id, made.id);
  assert.equal(read.priorityLabel, "High");
  assert.equal((await read.team).key, "HUL");
  assert.equal((await read.state).name, "Backlog");
});

test("an issue is updated and moved through the workflow", async () => {
  const made = await issue("Sand the deck");
  const doing = await state("In Progress");
  const payload = await made.update({ title: "Sand the upper deck", stateId: doing.id });
  assert.ok(payload.success);
  const read = await linear.issue(made.id);
  assert.equal(read.title, "Sand the upper deck");
  assert.ok(read.startedAt instanceof Date);
  assert.equal((await (await read.history()).nodes[0].toState).name, "In Progress");
});

test("a comment is written, edited, resolved and deleted", async () => {
  const made = await issue("Check the lights");
  const { comment } = await linear.createComment({ issueId: made.id, body: "Port side is out" });
  const note = await comment;
  await note.update({ body: "Port side is out, starboard is fine" });
  assert.equal((await made.comments()).nodes[0].body, "Port side is out, starboard is fine");
  await linear.commentResolve(note.id);
  assert.ok((await linear.comment({ id: note.id })).resolvedAt instanceof Date);
  await linear.deleteComment(note.id);
  assert.equal((await made.comments()).nodes.length, 0);
});

test("labels are added and removed", async () => {
  const made = await issue("Paint the mast");
  const label = await (await linear.createIssueLabel({ name: "Paint", teamId: team.id, color: "#ff0000" })).issueLabel;
  await linear.issueAddLabel(made.id, label.id);
  assert.deepEqual((await (await linear.issue(made.id)).labels()).nodes.map((each) => each.name), ["Paint"]);
  await linear.issueRemoveLabel(made.id, label.id);
  assert.equal((await (await linear.issue(made.id)).labels()).nodes.length, 0);
});

test("issues are related, and the relation is seen from both sides", async () => {
  const [first, second] = [await issue("Order steel"), await issue("Cut steel")];
  await linear.createIssueRelation({ issueId: first.id, relatedIssueId: second.id, type: IssueRelationType.Blocks });
  const seen = (await second.inverseRelations()).nodes[0];
  assert.equal(seen.type, "blocks");
  assert.equal((await seen.issue).id, first.id);
});

test("an issue moves to another team and is still found by its old name", async () => {
  const made = await issue("Map the reef");
  const other = teams.nodes.find((each) => each.key === "NAV");
  await made.update({ teamId: other.id, stateId: (await other.states()).nodes.find((each) => each.name === "Todo").id });
  const read = await linear.issue(made.identifier);
  assert.match(read.identifier, /^NAV-/);
  assert.deepEqual(read.previousIdentifiers, [made.identifier]);
});

test("search finds words in any case", async () => {
  const made = await issue("Repair the Zodiac winch");
  const found = await linear.searchIssues("zodiac WINCH");
  assert.deepEqual(found.nodes.map((each) => each.id), [made.id]);
});

test("1,500 issues are paged through in both directions", async () => {
  const forward = [];
  let page = await linear.issues({ first: 100, orderBy: PaginationOrderBy.CreatedAt });
  forward.push(...page.nodes.map((each) => each.id));
  while (page.pageInfo.hasNextPage) {
    page = await linear.issues({ first: 100, after: page.pageInfo.endCursor });
    forward.push(...page.nodes.map((each) => each.id));
  }
  const backward = [];
  page = await linear.issues({ last: 100 });
  backward.unshift(...page.nodes.map((each) => each.id));
  while (page.pageInfo.hasPreviousPage) {
    page = await linear.issues({ last: 100, before: page.pageInfo.startCursor });
    backward.unshift(...page.nodes.map((each) => each.id));
  }
  assert.ok(forward.length >= 1475, String(forward.length));
  assert.equal(new Set(forward).size, forward.length);
  assert.deepEqual(backward, forward);
});

test("the SDK's own paging gathers what it is asked for", async () => {
  const page = await linear.issues({ first: 50 });
  await page.fetchNext();
  assert.equal(page.nodes.length, 100);
});

test("issues are filtered by relations several levels deep", async () => {
  const filter = {
    team: { key: { eq: "HUL" } },
    state: { type: { in: ["started", "completed"] } },
    or: [{ labels: { some: { name: { eq: "Safety" } } } }, { project: { lead: { email: { endsWith: "@tidewater.example" } } } }],
  };
  const found = await linear.issues({ first: 100, filter });
  assert.ok(found.nodes.length > 5);
  for (const each of found.nodes.slice(0, 5)) {
    assert.equal((await each.team).key, "HUL");
    assert.ok(["started", "completed"].includes((await each.state).type));
  }
});

test("projects, milestones, cycles and documents are made", async () => {
  const project = await (await linear.createProject({ name: "Deck heating", teamIds: [team.id] })).project;
  const milestone = await (await linear.createProjectMilestone({ name: "Drawn", projectId: project.id })).projectMilestone;
  const made = await issue("Draw the deck", { projectId: project.id, projectMilestoneId: milestone.id });
  assert.equal((await project.issues()).nodes[0].id, made.id);
  const document = await (await linear.createDocument({ title: "Notes", content: "# Heat", projectId: project.id })).document;
  assert.equal((await linear.document(document.id)).content, "# Heat");
  const span = { startsAt: new Date("2031-01-01"), endsAt: new Date("2031-01-14") };
  assert.equal((await (await linear.createCycle({ teamId: team.id, ...span })).cycle).number, 9);
});

test("what is not there is refused with the vendor's error type", async () => {
  await assert.rejects(linear.issue("00000000-0000-4000-8000-000000000000"), (error) => {
    assert.equal(error.type, "InvalidInput");
    assert.match(error.message, /Entity not found: Issue/);
    return true;
  });
});

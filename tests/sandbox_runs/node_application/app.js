// Announces a launch in five services, each by the vendor's own SDK. GET / does it and shows what each service answered.
const http = require("node:http");
const { WebClient } = require("@slack/web-api");
const { LinearClient } = require("@linear/sdk");
const { calendar } = require("@googleapis/calendar");
const { OAuth2Client } = require("google-auth-library");
const BoxSDK = require("box-node-sdk");
const Stripe = require("stripe");

const env = process.env;
const stripeAt = new URL(env.STRIPE_API_BASE);
const address = { protocol: "http", host: stripeAt.hostname, port: stripeAt.port };
const stripe = (Stripe.default ?? Stripe)(env.STRIPE_API_KEY, address);
const slack = new WebClient(env.SLACK_BOT_TOKEN, { slackApiUrl: `${env.SLACK_API_URL}/` });
const linear = new LinearClient({ apiKey: env.LINEAR_API_KEY, apiUrl: env.LINEAR_API_URL });
const box = new BoxSDK({
  clientID: env.BOX_CLIENT_ID,
  clientSecret: env.BOX_CLIENT_SECRET,
  apiRootURL: env.BOX_API_URL,
  request: { agentClass: http.Agent },
}).getBasicClient(env.BOX_ACCESS_TOKEN);
const auth = new OAuth2Client();
auth.setCredentials({ access_token: env.GOOGLE_ACCESS_TOKEN });
const events = calendar({ version: "v3", auth, rootUrl: `${env.GOOGLE_CALENDAR_API_URL}/` }).events;

const tasks = {
  slack: async () => (await slack.chat.postMessage({ channel: "#general", text: "Launch" })).message.text,
  linear: async () => {
    const team = (await linear.teams()).nodes[0];
    return (await (await linear.createIssue({ teamId: team.id, title: "Launch" })).issue).title;
  },
  box: async () => (await box.folders.create("0", "Launch")).name,
  calendar: async () => {
    const [start, end] = ["10", "11"].map((hour) => ({ dateTime: `2030-01-07T${hour}:00:00Z` }));
    return (await events.insert({ calendarId: "primary", requestBody: { summary: "Launch", start, end } })).data.summary;
  },
  stripe: async () => (await stripe.customers.create({ name: "Launch" })).name,
};

async function announce() {
  const lines = [];
  for (const [name, task] of Object.entries(tasks)) {
    lines.push(await task().then((said) => `${name}: ${said}`, (error) => `${name} failed: ${error.message}`));
  }
  return lines;
}

const server = http.createServer(async (request, response) => {
  const lines = request.url === "/" ? await announce() : ["healthy"];
  response.setHeader("Content-Type", "text/html");
  response.end(lines.map((line) => `<p>${line}</p>`).join("\n"));
});
server.listen(Number(env.PORT), "127.0.0.1");

// An app as its authors would write it, with Bolt as it comes: node bolt_app.js <bolt> <api url> <token> <secret>
// It says on which port it listens, and ends with its standard input.
const [, , source, url, token, signingSecret] = process.argv;
const { App, HTTPReceiver, LogLevel } = require(source);

const receiver = new HTTPReceiver({ signingSecret, logLevel: LogLevel.ERROR });
const app = new App({ token, receiver, clientOptions: { slackApiUrl: url }, logLevel: LogLevel.ERROR });

app.event("app_mention", async ({ event, say }) => {
  await say({ text: `Hello <@${event.user}>!`, thread_ts: event.ts });
});

// It hears its own messages if it does not know itself, and would go on for ever.
app.message(/lunch/, async ({ message, say, client, context }) => {
  const bot = await client.bots.info({ bot: context.botId });
  await say(`One lunch for <@${message.user}>, says ${bot.bot.id}`);
});

app.start(0).then((server) => console.log(server.address().port));
process.stdin.on("end", () => process.exit(0)).resume();

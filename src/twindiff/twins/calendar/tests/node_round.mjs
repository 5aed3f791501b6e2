// A round of npm's googleapis: an event, a series told apart, lists paged, a refusal, free and busy times, a sync.
import { createRequire } from "node:module";
import path from "node:path";

const [folder, rootUrl, token] = process.argv.slice(2);
const { google } = createRequire(path.join(folder, "package.json"))(folder);
const auth = new google.auth.OAuth2();
auth.setCredentials({ access_token: token });
const calendar = google.calendar({ version: "v3", auth });
// A rootUrl of all calls loses its path: each is given it.
const here = { rootUrl };

const calendarId = "primary";
const at = (time) => ({ dateTime: `2018-06-18T${time}:00`, timeZone: "Europe/Berlin" });
const review = { summary: "Review", start: at("09:00"), end: at("10:00") };
const made = (await calendar.events.insert({ calendarId, requestBody: review }, here)).data;
const eventId = made.id;
const seen = (await calendar.events.get({ calendarId, eventId, fields: "summary,start/dateTime" }, here)).data;
const daily = { ...review, summary: "Daily", recurrence: ["RRULE:FREQ=DAILY;COUNT=3"] };
await calendar.events.insert({ calendarId, requestBody: daily }, here);
const days = [];
let pageToken;
do {
  const list = { calendarId, q: "Daily", singleEvents: true, orderBy: "startTime", maxResults: 2, pageToken };
  const page = (await calendar.events.list(list, here)).data;
  days.push(...page.items.map((each) => each.start.dateTime.slice(0, 10)));
  pageToken = page.nextPageToken;
} while (pageToken);
const refused = await calendar.events.get({ calendarId, eventId: "nothing" }, here).catch((error) => error);
const week = { timeMin: "2018-06-18T00:00:00Z", timeMax: "2018-06-19T00:00:00Z", items: [{ id: calendarId }] };
const busy = (await calendar.freebusy.query({ requestBody: week }, here)).data.calendars[calendarId].busy;
const { nextSyncToken: syncToken } = (await calendar.events.list({ calendarId }, here)).data;
await calendar.events.delete({ calendarId, eventId }, here);
const changes = (await calendar.events.list({ calendarId, syncToken }, here)).data.items;
console.log(
  JSON.stringify({
    seen,
    days,
    refused: [Number(refused.code), refused.response.data.error.errors[0].reason],
    busy,
    changes: changes.map((each) => [each.id === eventId, each.status]),
  }),
);

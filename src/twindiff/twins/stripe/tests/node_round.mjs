// A round of npm's stripe: a customer pays, a card is declined, a part is given back, lists and searches are paged;
// a reader, an issued card, a verification, linked accounts, a report and carbon removal answer too.
import { Agent } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [folder, host, port, key] = process.argv.slice(2);
const resolved = createRequire(path.join(folder, "package.json")).resolve(folder);
const loaded = await import(pathToFileURL(resolved).href);
const Stripe = loaded.default?.default ?? loaded.default ?? loaded.Stripe;
// Names below localhost are this machine, which not every resolver knows.
const lookup = (name, options, done) =>
  options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);
const httpAgent = new Agent({ lookup });
const stripe = new Stripe(key, { host, port, protocol: "http", httpAgent, maxNetworkRetries: 0 });

const ada = await stripe.customers.create({ name: "Ada", email: "ada@shop.example" });
await stripe.customers.create({ name: "Bea" });
const payment = { amount: 2000, currency: "usd", confirm: true, allowed_payment_method_types: ["card"] };
const paid = await stripe.paymentIntents.create({ ...payment, customer: ada.id, payment_method: "pm_card_visa" });
const declined = await stripe.paymentIntents
  .create({ ...payment, payment_method: "pm_card_visa_chargeDeclined" })
  .catch((error) => error);
const refund = await stripe.refunds.create({ payment_intent: paid.id, amount: 500 });
const names = [];
for await (const each of stripe.customers.list({ limit: 1 })) names.push(each.name);
const found = await stripe.customers.search({ query: "email:'ada@shop.example'" });
const [event] = (await stripe.events.list({ type: "payment_intent.succeeded" })).data;
const payload = JSON.stringify(event);
const header = stripe.webhooks.generateTestHeaderString({ payload, secret: "whsec_test" });

const address = { line1: "1 Main St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
const location = await stripe.terminal.locations.create({ display_name: "HQ", address });
const reader = await stripe.terminal.readers.create({ registration_code: "simulated-wpe", location: location.id });
const inPerson = await stripe.paymentIntents.create({ ...payment, confirm: false, allowed_payment_method_types: ["card_present"] });
await stripe.terminal.readers.processPaymentIntent(reader.id, { payment_intent: inPerson.id });
const presented = await stripe.testHelpers.terminal.readers.presentPaymentMethod(reader.id);
const holder = await stripe.issuing.cardholders.create({ name: "Ada Lovelace", type: "individual", billing: { address } });
const card = await stripe.issuing.cards.create({ cardholder: holder.id, currency: "usd", type: "virtual", status: "active" });
const purchase = await stripe.testHelpers.issuing.authorizations.create({ card: card.id, amount: 900, currency: "usd" });
const verification = await stripe.identity.verificationSessions.create({ type: "document" });
const canceled = await stripe.identity.verificationSessions.cancel(verification.id);
const session = await stripe.financialConnections.sessions.create({
  account_holder: { type: "customer", customer: ada.id },
  permissions: ["balances"],
});
const [type] = (await stripe.reporting.reportTypes.list()).data;
const parameters = { interval_start: 0, interval_end: type.data_available_end };
const report = await stripe.reporting.reportRuns.create({ report_type: type.id, parameters });
const [product] = (await stripe.climate.products.list()).data;
const order = await stripe.climate.orders.create({ product: product.id, metric_tons: "0.01" });
console.log(
  JSON.stringify({
    paid: paid.status,
    declined: declined.decline_code,
    refunded: refund.amount,
    names,
    found: found.data.length,
    products: [presented.action.status, purchase.approved, canceled.status, session.object, report.status, order.object],
    event: stripe.webhooks.constructEvent(payload, header, "whsec_test").type,
  }),
);

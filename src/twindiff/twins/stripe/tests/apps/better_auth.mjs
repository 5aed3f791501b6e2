// The plugin @better-auth/stripe, unmodified: sign up, subscribe, change the plan, cancel. It prints what it came to.
// Arguments: the folder of the packages, the name of the twin's host, its port, and its address with a path.
import http from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [packages, host, port, direct] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { betterAuth } = await load("better-auth");
const { memoryAdapter } = await load("better-auth/adapters/memory");
const plugin = (await load("@better-auth/stripe")).stripe;
const Stripe = (await load("stripe")).default;

// Names below `localhost` are not resolved everywhere.
const lookup = (name, options, done) =>
  options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);
const stripe = new Stripe(`sk_test_${"0".repeat(24)}`, {
  host, port, protocol: "http", httpAgent: new http.Agent({ lookup }), maxNetworkRetries: 0,
});

const product = (await stripe.products.create({ name: "Plan" })).id;
const price = async (amount) =>
  (await stripe.prices.create({ product, currency: "usd", unit_amount: amount, recurring: { interval: "month" } })).id;
const [basic, pro] = [await price(1000), await price(3000)];
const [portal] = (await stripe.billingPortal.configurations.list({ is_default: true })).data;
await stripe.billingPortal.configurations.update(portal.id, {
  features: {
    payment_method_update: { enabled: true },
    subscription_update: {
      enabled: true, default_allowed_updates: ["price"], proration_behavior: "always_invoice",
      products: [{ product, prices: [basic, pro] }],
    },
  },
});

const site = "http://localhost:3999";
const secret = "whsec_test";
const rows = { user: [], session: [], account: [], verification: [], subscription: [] };
const auth = betterAuth({
  baseURL: site, secret: "0123456789abcdefghijklmnopqrstuvwxyzABCDEF", database: memoryAdapter(rows),
  emailAndPassword: { enabled: true }, logger: { disabled: true },
  plugins: [plugin({
    stripeClient: stripe, stripeWebhookSecret: secret, createCustomerOnSignUp: true,
    subscription: { enabled: true, plans: [{ name: "basic", priceId: basic }, { name: "pro", priceId: pro }] },
  })],
});

let cookie = "";
const ask = async (path, body) => {
  const headers = { "content-type": "application/json", origin: site, cookie };
  const request = new Request(`${site}/api/auth${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await auth.handler(request);
  cookie ||= answer.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ");
  return answer.json();
};
const submit = (url, form) => {
  const { pathname } = new URL(url);
  const page = `${direct}${pathname.replace(/^\/api\/env\/[^/]+\/services\/stripe/, "")}`;
  return fetch(page, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
};

const told = new Set();
const refused = [];
const deliver = async () => {
  for (const event of (await stripe.events.list({ limit: 100 })).data.reverse().filter((each) => !told.has(each.id))) {
    told.add(event.id);
    const body = JSON.stringify(event);
    const signature = await stripe.webhooks.generateTestHeaderStringAsync({ payload: body, secret });
    const headers = { "stripe-signature": signature };
    const answer = await auth.handler(new Request(`${site}/api/auth/stripe/webhook`, { method: "POST", headers, body }));
    if (answer.status !== 200) refused.push(event.type);
  }
};

const steps = [];
const note = () => steps.push(rows.subscription.map((each) => [each.plan, each.status, each.cancelAtPeriodEnd]));
const there = { successUrl: "/ok", cancelUrl: "/no", returnUrl: "/back" };
await ask("/sign-up/email", { email: "ada@shop.example", password: "password1234", name: "Ada" });
const bought = await ask("/subscription/upgrade", { plan: "basic", ...there });
await submit(bought.url, { number: "4242424242424242", expiry: "12 / 34", cvc: "123", name: "Ada" });
await deliver();
note();
const subscription = rows.subscription[0].stripeSubscriptionId;
const changed = await ask("/subscription/upgrade", { plan: "pro", ...there, subscriptionId: subscription });
await submit(changed.url, { wish: "confirm", subscription });
await deliver();
note();
const ending = await ask("/subscription/cancel", { returnUrl: "/back", subscriptionId: subscription });
await submit(ending.url, { wish: "cancel", subscription });
await deliver();
note();
const again = await ask("/subscription/cancel", { returnUrl: "/back", subscriptionId: subscription });
console.log(JSON.stringify({ steps, refused, again: again.message }));

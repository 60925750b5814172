import assert from "node:assert/strict";
import { test } from "node:test";
import { type GuardedRequest, refusalOf } from "./request-guard.ts";

const options = { port: 8100, cookieName: "k8ts-8100", session: "secret" };

const good = {
  host: "127.0.0.1:8100",
  origin: "http://127.0.0.1:8100",
  cookie: "other=1; k8ts-8100=secret",
  "x-k8ts-console": "1",
};

const cases: readonly {
  name: string;
  change: GuardedRequest["headers"];
  isUpgrade?: boolean;
  refusal: string | undefined;
}[] = [
  { name: "a request of the page", change: {}, refusal: undefined },
  {
    name: "a reading request without an origin",
    change: { origin: undefined },
    refusal: undefined,
  },
  {
    name: "the other name of the machine",
    change: { host: "localhost:8100", origin: "http://localhost:8100" },
    refusal: undefined,
  },
  {
    name: "a name bound again to 127.0.0.1",
    change: { host: "evil.example:8100" },
    refusal: "another host name",
  },
  { name: "no host", change: { host: undefined }, refusal: "another host name" },
  { name: "another page", change: { origin: "https://evil.example" }, refusal: "another origin" },
  {
    name: "a page of another port",
    change: { origin: "http://127.0.0.1:1" },
    refusal: "another origin",
  },
  { name: "a sandboxed frame", change: { origin: "null" }, refusal: "another origin" },
  {
    name: "another site by its fetch metadata",
    change: { "sec-fetch-site": "cross-site" },
    refusal: "another origin",
  },
  {
    name: "a link in the address bar",
    change: { "sec-fetch-site": "none" },
    refusal: "another origin",
  },
  { name: "no cookie", change: { cookie: undefined }, refusal: "no session" },
  { name: "a wrong cookie", change: { cookie: "k8ts-8100=secre" }, refusal: "no session" },
  {
    name: "the cookie of another console",
    change: { cookie: "k8ts-81=secret" },
    refusal: "no session",
  },
  {
    name: "a form, which has no header of ours",
    change: { "x-k8ts-console": undefined },
    refusal: "not from the console",
  },
  {
    name: "an upgrade of the page",
    change: { "x-k8ts-console": undefined },
    isUpgrade: true,
    refusal: undefined,
  },
  {
    name: "an upgrade without an origin",
    change: { origin: undefined },
    isUpgrade: true,
    refusal: "another origin",
  },
];

for (const { name, change, isUpgrade = false, refusal } of cases) {
  test(`refusalOf() ${refusal === undefined ? "accepts" : "refuses"} ${name}`, () => {
    assert.equal(refusalOf({ headers: { ...good, ...change }, isUpgrade }, options), refusal);
  });
}

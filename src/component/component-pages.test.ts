import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { ComponentPages } from "./component-pages.ts";

const pages = new ComponentPages({
  name: "kube-scheduler",
  flagTexts: { v: "2" },
  paths: ["/healthz", "/metrics"],
  clock: new FakeClock(),
});

const ask = (path: string, accept?: string) =>
  pages.answer(new URL(path, "http://component"), { headers: { accept } } as IncomingMessage);

test("ComponentPages.answer() shows flags and paths", () => {
  assert.match(ask("/flagz")?.body ?? "", /^\nkube-scheduler flagz\n.*\nv: 2\n$/s);
  assert.match(ask("/statusz")?.body ?? "", /\nPaths: \/flagz \/healthz \/metrics\n$/);
  assert.equal(ask("/healthz"), undefined);
});

test("ComponentPages.answer() rejects other formats, and warns of deprecated ones", () => {
  const refused = ask("/flagz", "application/json");
  assert.equal(refused?.status, 406);
  assert.equal(JSON.parse(refused?.body ?? "").reason, "NotAcceptable");
  const old = ask("/flagz", "application/json;g=config.k8s.io;v=v1alpha1;as=Flagz");
  assert.equal(
    old?.headers["warning"],
    '299 - "This version of the flagz endpoint is deprecated. Please use a newer version."',
  );
});

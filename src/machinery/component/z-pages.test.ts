import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../meta/status-error.ts";
import { answerZPage, flagzPage, statuszPage } from "./z-pages.ts";

const status = statuszPage({
  component: "apiserver",
  version: "1.37.1",
  startedMs: Date.UTC(2026, 10, 6, 9, 7, 3, 400),
  now: () => Date.UTC(2026, 10, 6, 12, 8, 8),
  paths: () => ["/", "/api", "/apis/apps/v1", "/metrics", "/metrics/slis", "/healthz/ping"],
});
const flags = flagzPage("apiserver", { v: "2", "bind-address": "0.0.0.0" });

const request = (accept: string) => ({
  accept,
  query: new URLSearchParams(),
  userAgent: undefined,
});
const goVersion = `node${process.versions.node}`;

test("statuszPage() shows start time, uptime and versions as text", () => {
  const { contentType, body } = answerZPage(status, request(""));
  assert.equal(contentType, "text/plain; charset=utf-8");
  const [, title, , ...lines] = body.split("\n");
  assert.equal(title, "apiserver statusz");
  assert.deepEqual(lines, [
    "",
    "Started: Fri Nov  6 09:07:03 UTC 2026",
    "Up: 3 hr 01 min 05 sec",
    `Go version: ${goVersion}`,
    "Binary version: 1.37.1",
    "Emulation version: 1.37",
    "Paths: /healthz /metrics",
    "",
  ]);
});

test("answerZPage() returns the object in the requested version", () => {
  const accept = "application/json;g=config.k8s.io;v=v1alpha1;as=Statusz";
  const { contentType, body, warning } = answerZPage(status, request(accept));
  assert.equal(contentType, accept);
  assert.equal(
    warning,
    '299 - "This version of the statusz endpoint is deprecated. Please use a newer version."',
  );
  assert.equal(
    body,
    `{"kind":"Statusz","apiVersion":"config.k8s.io/v1alpha1","metadata":{"name":"apiserver"},"startTime":"2026-11-06T09:07:03Z","uptimeSeconds":10865,"goVersion":"${goVersion}","binaryVersion":"1.37.1","emulationVersion":"1.37","paths":["/healthz","/metrics"]}\n`,
  );
});

test("flagzPage() lists flags by name", () => {
  const yaml = answerZPage(flags, request("application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz"));
  assert.equal(yaml.warning, undefined);
  assert.equal(
    yaml.body,
    'apiVersion: config.k8s.io/v1beta1\nflags:\n  bind-address: 0.0.0.0\n  v: "2"\nkind: Flagz\nmetadata:\n  name: apiserver\n',
  );
  const { body } = answerZPage(flags, request("*/*"));
  assert.match(body, /\nbind-address: 0\.0\.0\.0\nv: 2\n$/);
});

for (const accept of [
  "text/html",
  "application/json",
  "application/json;g=config.k8s.io;v=v1beta1;as=Statusz",
  "application/json;g=config.k8s.io;v=v1;as=Flagz",
  "application/vnd.kubernetes.protobuf;g=config.k8s.io;v=v1beta1;as=Flagz",
]) {
  test(`answerZPage() rejects a client that accepts ${accept}`, () => {
    assert.throws(
      () => answerZPage(flags, request(accept)),
      (error) =>
        error instanceof StatusError &&
        error.status.code === 406 &&
        error.message ===
          "only the following media types are accepted: application/json, application/yaml, text/plain",
    );
  });
}

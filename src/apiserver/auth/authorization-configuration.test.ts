import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuthorizationConfiguration } from "./authorization-configuration.ts";

const configuration = (...authorizers: object[]): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers,
  });
const webhook = {
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  failurePolicy: "Deny",
  connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "/x" },
};
const hook = (change: object = {}) => ({
  type: "Webhook",
  name: "w",
  webhook: { ...webhook, ...change },
});

test("readAuthorizationConfiguration() reads a chain", () => {
  assert.deepEqual(
    readAuthorizationConfiguration(configuration({ type: "Node", name: "node" }, hook())),
    [
      { type: "Node", name: "node" },
      {
        type: "Webhook",
        name: "w",
        webhook: {
          authorizedTtlMs: 300_000,
          unauthorizedTtlMs: 30_000,
          timeoutMs: 3_000,
          version: "v1",
          onFailure: "deny",
          kubeConfigFile: "/x",
        },
      },
    ],
  );
});

const refused = [
  {
    name: "no authorizers",
    text: configuration(),
    message: "authorizers: Required value: at least one authorization mode must be defined",
  },
  {
    name: "a name of its own for a mode",
    text: configuration({ type: "RBAC", name: "roles" }),
    message: "expected name rbac for authorizer RBAC instead of roles",
  },
  {
    name: "a mode twice",
    text: configuration({ type: "RBAC", name: "rbac" }, { type: "RBAC", name: "rbac2" }),
    message: 'authorizers[1].type: Duplicate value: "RBAC"',
  },
  {
    name: "an unknown mode",
    text: configuration({ type: "Moon", name: "moon" }),
    message:
      'authorizers[0].type: Unsupported value: "Moon": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
  },
  {
    name: "a webhook without its configuration",
    text: configuration({ type: "Webhook", name: "w" }),
    message: "authorizers[0].webhook: Required value: required when type=Webhook",
  },
  {
    name: "a webhook with too long a timeout",
    text: configuration(hook({ timeout: "31s" })),
    message: 'authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s',
  },
];
for (const { name, text, message } of refused) {
  test(`readAuthorizationConfiguration() refuses ${name}`, () => {
    assert.throws(() => readAuthorizationConfiguration(text), { message });
  });
}

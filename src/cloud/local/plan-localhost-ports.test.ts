import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import { planLocalhostPorts } from "./plan-localhost-ports.ts";

const service = (annotation: string | undefined, ip = "198.18.0.1"): Service => ({
  metadata: {
    name: "a",
    namespace: "default",
    ...(annotation === undefined ? {} : { annotations: { "k8ts.dev/localhost-port": annotation } }),
  },
  spec: {
    type: "LoadBalancer",
    ports: [
      { port: 80, protocol: "TCP" },
      { port: 53, protocol: "UDP" },
      { port: 443, protocol: "TCP" },
    ],
  },
  status: { loadBalancer: { ingress: ip === "" ? [] : [{ ip }] } },
});
const port = (own: number, targetPort: number) => ({
  port: own,
  address: "198.18.0.1",
  targetPort,
});

for (const [claim, given, expected] of [
  ["those of its TCP ports", service(undefined), [port(80, 80), port(443, 443)]],
  ["the wished one for the first", service("8080"), [port(8080, 80), port(443, 443)]],
  ["its own for an invalid wish", service("x"), [port(80, 80), port(443, 443)]],
  ["none if it is off", service("off"), []],
  ["none without an address", service(undefined, ""), []],
] as const) {
  test(`planLocalhostPorts() gives ${claim}`, () => {
    assert.deepEqual(planLocalhostPorts(given), expected);
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import { parseCloudConfig } from "../../config/cloud-config.ts";
import { planHealthCheck } from "./classic-health-check.ts";
import { predictLoadBalancer } from "./predict-classic.ts";

const listeners = [
  { Protocol: "tcp", LoadBalancerPort: 80, InstanceProtocol: "tcp", InstancePort: 30_080 },
];
const local = { externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 };

const cases = [
  { name: "the first port", target: "TCP:30080 2 6 5 10" },
  {
    name: "a backend with TLS",
    annotations: { "backend-protocol": "https" },
    target: "SSL:30080 2 6 5 10",
  },
  { name: "local traffic", spec: local, target: "HTTP:31000/healthz 2 6 5 10" },
  {
    name: "local traffic on the port of the traffic",
    spec: local,
    annotations: { "healthcheck-port": "traffic-port" },
    target: "HTTP:30080/healthz 2 6 5 10",
  },
  {
    name: "annotations",
    annotations: {
      "healthcheck-protocol": "HTTP",
      "healthcheck-port": "8080",
      "healthcheck-interval": "7",
    },
    target: "HTTP:8080/ 2 6 5 7",
  },
  {
    name: "a probe that Services share",
    config: "[Global]\nClusterServiceLoadBalancerHealthProbeMode = Shared\n",
    target: "HTTP:10256/healthz 2 6 5 10",
  },
];
for (const { name, annotations = {}, spec = {}, config = "", target } of cases) {
  test(`planHealthCheck() checks ${name}`, () => {
    const actions = plan(annotations, spec, config);
    const shown = actions.map(({ params }) => {
      const { HealthCheck: check } = params as { HealthCheck: Record<string, unknown> };
      const { Target, HealthyThreshold, UnhealthyThreshold, Timeout, Interval } = check;
      return [Target, HealthyThreshold, UnhealthyThreshold, Timeout, Interval].join(" ");
    });
    assert.deepEqual(shown, [target]);
  });
}

test("planHealthCheck() changes nothing that is there", () => {
  const found = {
    Target: "TCP:30080",
    HealthyThreshold: 2,
    UnhealthyThreshold: 6,
    Timeout: 5,
    Interval: 10,
  };
  assert.deepEqual(plan({}, {}, "", found), []);
});

const refused = [
  {
    annotations: { "healthcheck-interval": "2", "healthcheck-timeout": "1" },
    message:
      'cannot update health check for load balancer "lb": "some of the load balancer health check parameters are invalid: HealthCheck validation errors: Interval must be at least 5; Timeout must be at least 2"',
  },
  {
    annotations: { "healthcheck-timeout": "soon" },
    message:
      'cannot update health check for load balancer "lb": "failed parsing health check annotation value: strconv.ParseInt: parsing \\"soon\\": invalid syntax"',
  },
];
for (const { annotations, message } of refused) {
  test(`planHealthCheck() refuses ${JSON.stringify(annotations)}`, () => {
    assert.throws(() => plan(annotations, {}, ""), { message });
  });
}

function plan(
  short: Readonly<Record<string, string | undefined>>,
  spec: object,
  config: string,
  HealthCheck?: ReturnType<typeof predictLoadBalancer>["HealthCheck"],
) {
  const prefix = "service.beta.kubernetes.io/aws-load-balancer-";
  const annotations = Object.fromEntries(
    Object.entries(short).map(([name, value]) => [prefix + name, value ?? ""]),
  );
  const service: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", annotations },
    spec: { type: "LoadBalancer", ...spec },
  };
  const wanted = { listeners, subnetIds: [], groupIds: [] };
  const found = { ...predictLoadBalancer("lb", wanted, undefined), HealthCheck };
  return planHealthCheck(service, listeners, found, parseCloudConfig(config).global);
}

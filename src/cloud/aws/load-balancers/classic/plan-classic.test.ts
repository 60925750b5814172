import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClassicLoadBalancer } from "../../client/elb-operations.ts";
import type { AwsAction } from "../base/session.ts";
import type { ClassicListener } from "./classic-listeners.ts";
import {
  planInstances,
  planListeners,
  planNewProxyProtocol,
  planProxyProtocol,
  planSslPolicy,
  planSubnets,
  planTags,
} from "./plan-classic.ts";
import { predictLoadBalancer } from "./predict-classic.ts";

const listener = (port: number, instancePort: number, protocol = "tcp"): ClassicListener => ({
  Protocol: protocol,
  LoadBalancerPort: port,
  InstanceProtocol: "tcp",
  InstancePort: instancePort,
});

/** A load balancer "lb" with a listener 80 → 30080, of subnets a and b. */
function balancer(changes: Partial<ClassicLoadBalancer> = {}): ClassicLoadBalancer {
  const wanted = { listeners: [listener(80, 30_080)], subnetIds: ["a", "b"], groupIds: ["g"] };
  return { ...predictLoadBalancer("lb", wanted, undefined), ...changes };
}

/** "Action {params}" without the name of the load balancer. */
function shown(actions: readonly AwsAction[]): string[] {
  return actions.map(({ operation, params }) => {
    const { LoadBalancerName: _, ...rest } = params as Record<string, unknown>;
    return `${operation.action} ${JSON.stringify(rest)}`;
  });
}

const subnetCases = [
  { name: "none for the same subnets", wanted: ["b", "a"], expected: [] },
  {
    name: "detaches before it attaches",
    wanted: ["b", "c"],
    expected: [
      'DetachLoadBalancerFromSubnets {"Subnets":["a"]}',
      'AttachLoadBalancerToSubnets {"Subnets":["c"]}',
    ],
  },
];
for (const { name, wanted, expected } of subnetCases) {
  test(`planSubnets(): ${name}`, () => {
    assert.deepEqual(shown(planSubnets("lb", wanted, balancer())), expected);
  });
}

const listenerCases = [
  { name: "none for the same listeners", wanted: [listener(80, 30_080)], expected: [] },
  {
    name: "adds a port",
    wanted: [listener(80, 30_080), listener(81, 30_081)],
    expected: [
      'CreateLoadBalancerListeners {"Listeners":[{"Protocol":"tcp","LoadBalancerPort":81,"InstanceProtocol":"tcp","InstancePort":30081}]}',
    ],
  },
  {
    name: "replaces a listener whose node port changed",
    wanted: [listener(80, 30_081)],
    expected: [
      'DeleteLoadBalancerListeners {"LoadBalancerPorts":[80]}',
      'CreateLoadBalancerListeners {"Listeners":[{"Protocol":"tcp","LoadBalancerPort":80,"InstanceProtocol":"tcp","InstancePort":30081}]}',
    ],
  },
];
for (const { name, wanted, expected } of listenerCases) {
  test(`planListeners(): ${name}`, () => {
    assert.deepEqual(shown(planListeners("lb", wanted, balancer())), expected);
  });
}

const policy =
  'CreateLoadBalancerPolicy {"PolicyName":"k8s-proxyprotocol-enabled","PolicyTypeName":"ProxyProtocolPolicyType","PolicyAttributes":[{"AttributeName":"ProxyProtocol","AttributeValue":"true"}]}';
const on = (port: number) =>
  `SetLoadBalancerPoliciesForBackendServer {"InstancePort":${port},"PolicyNames":["k8s-proxyprotocol-enabled"]}`;
const off = (port: number) =>
  `SetLoadBalancerPoliciesForBackendServer {"InstancePort":${port},"PolicyNames":[]}`;
const enabled = (...ports: readonly number[]) => ({
  BackendServerDescriptions: ports.map((InstancePort) => ({
    InstancePort,
    PolicyNames: ["k8s-proxyprotocol-enabled"],
  })),
});
const proxyCases = [
  { name: "none if it was never used", isWanted: false, found: {}, expected: [] },
  { name: "sets it on each port", isWanted: true, found: {}, expected: [policy, on(30_080)] },
  { name: "keeps it", isWanted: true, found: enabled(30_080), expected: [policy] },
  { name: "removes it", isWanted: false, found: enabled(30_080), expected: [off(30_080)] },
  {
    name: "removes it from a port without listener",
    isWanted: true,
    found: enabled(30_080, 30_099),
    expected: [policy, off(30_099)],
  },
];
for (const { name, isWanted, found, expected } of proxyCases) {
  test(`planProxyProtocol(): ${name}`, () => {
    const actions = planProxyProtocol("lb", isWanted, [listener(80, 30_080)], balancer(found));
    assert.deepEqual(shown(actions), expected);
  });
}

test("planNewProxyProtocol() creates the policy and uses it on each port", () => {
  const actions = planNewProxyProtocol("lb", [listener(80, 30_080), listener(81, 30_081)]);
  assert.deepEqual(shown(actions), [policy, on(30_080), on(30_081)]);
});

test("planTags() adds tags, and none for none", () => {
  assert.deepEqual(planTags("lb", {}), []);
  assert.deepEqual(shown(planTags("lb", { team: "shop" })), [
    'AddTags {"LoadBalancerNames":["lb"],"Tags":[{"Key":"team","Value":"shop"}]}',
  ]);
});

test("planSslPolicy() uses a policy on TLS ports, and creates it once", () => {
  const wanted = {
    listeners: [listener(443, 1, "ssl"), listener(80, 2)],
    subnetIds: [],
    groupIds: [],
  };
  const found = predictLoadBalancer("lb", wanted, undefined);
  const use =
    'SetLoadBalancerPoliciesOfListener {"LoadBalancerPort":443,"PolicyNames":["k8s-SSLNegotiationPolicy-p"]}';
  assert.deepEqual(shown(planSslPolicy(found, "p", true)), [use]);
  assert.deepEqual(shown(planSslPolicy(found, "p", false)), [
    'CreateLoadBalancerPolicy {"PolicyName":"k8s-SSLNegotiationPolicy-p","PolicyTypeName":"SSLNegotiationPolicyType","PolicyAttributes":[{"AttributeName":"Reference-Security-Policy","AttributeValue":"p"}]}',
    use,
  ]);
});

test("planInstances() registers before it deregisters", () => {
  const found = balancer({ Instances: [{ InstanceId: "i-1" }, { InstanceId: "i-2" }] });
  assert.deepEqual(shown(planInstances(found, ["i-3", "i-2"])), [
    'RegisterInstancesWithLoadBalancer {"Instances":[{"InstanceId":"i-3"}]}',
    'DeregisterInstancesFromLoadBalancer {"Instances":[{"InstanceId":"i-1"}]}',
  ]);
  assert.deepEqual(planInstances(found, ["i-1", "i-2"]), []);
});

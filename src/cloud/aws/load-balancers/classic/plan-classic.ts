/** Upstream: cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go. */
import {
  addTags,
  attachLoadBalancerToSubnets,
  type ClassicLoadBalancer,
  createLoadBalancerListeners,
  createLoadBalancerPolicy,
  deleteLoadBalancerListeners,
  deregisterInstancesFromLoadBalancer,
  detachLoadBalancerFromSubnets,
  registerInstancesWithLoadBalancer,
  setLoadBalancerPoliciesForBackendServer,
  setLoadBalancerPoliciesOfListener,
} from "../../client/elb-operations.ts";
import { type AwsAction, action } from "../base/session.ts";
import { type ClassicListener, diffListeners, tlsPorts } from "./classic-listeners.ts";

const proxyProtocolPolicy = "k8s-proxyprotocol-enabled";

/** The name of the policy on a load balancer that has the settings of a TLS policy of AWS. */
export function sslPolicyName(policy: string): string {
  return `k8s-SSLNegotiationPolicy-${policy}`;
}

export function planSubnets(
  name: string,
  wanted: readonly string[],
  { Subnets }: ClassicLoadBalancer,
): AwsAction[] {
  const added = wanted.filter((id) => !Subnets.includes(id));
  const removed = Subnets.filter((id) => !wanted.includes(id));
  const detach = { LoadBalancerName: name, Subnets: removed };
  const attach = { LoadBalancerName: name, Subnets: added };
  const detaching = "error detaching AWS loadbalancer from subnets: %q";
  const attaching = "error attaching AWS loadbalancer to subnets: %q";
  return [
    ...(removed.length > 0 ? [action(detachLoadBalancerFromSubnets, detach, detaching)] : []),
    ...(added.length > 0 ? [action(attachLoadBalancerToSubnets, attach, attaching)] : []),
  ];
}

export function planListeners(
  name: string,
  wanted: readonly ClassicListener[],
  loadBalancer: ClassicLoadBalancer,
): AwsAction[] {
  const { added, removed } = diffListeners(wanted, loadBalancer);
  const remove = { LoadBalancerName: name, LoadBalancerPorts: removed };
  const add = { LoadBalancerName: name, Listeners: added };
  const removing = "error deleting AWS loadbalancer listeners: %q";
  const adding = "error creating AWS loadbalancer listeners: %q";
  return [
    ...(removed.length > 0 ? [action(deleteLoadBalancerListeners, remove, removing)] : []),
    ...(added.length > 0 ? [action(createLoadBalancerListeners, add, adding)] : []),
  ];
}

/** The proxy protocol of a new load balancer. */
export function planNewProxyProtocol(
  name: string,
  listeners: readonly ClassicListener[],
): AwsAction[] {
  const ports = listeners.map(({ InstancePort }) => backendPolicy(name, InstancePort, true));
  return [createProxyPolicy(name), ...ports];
}

/** Sets the proxy protocol of all ports, and removes it from ports that no listener has. */
export function planProxyProtocol(
  name: string,
  isWanted: boolean,
  listeners: readonly ClassicListener[],
  { BackendServerDescriptions }: ClassicLoadBalancer,
): AwsAction[] {
  const actual = new Map(
    BackendServerDescriptions.map(({ InstancePort = 0, PolicyNames }) => [
      InstancePort,
      PolicyNames.includes(proxyProtocolPolicy),
    ]),
  );
  const ports = listeners.map(({ InstancePort }) => InstancePort);
  const changed = ports.filter((port) => (actual.get(port) ?? false) !== isWanted);
  const unused = [...actual.keys()].filter((port) => !ports.includes(port));
  return [
    ...(isWanted ? [createProxyPolicy(name)] : []),
    ...changed.map((port) => backendPolicy(name, port, isWanted)),
    ...unused.map((port) => backendPolicy(name, port, false)),
  ];
}

function createProxyPolicy(name: string): AwsAction {
  const params = {
    LoadBalancerName: name,
    PolicyName: proxyProtocolPolicy,
    PolicyTypeName: "ProxyProtocolPolicyType",
    PolicyAttributes: [{ AttributeName: "ProxyProtocol", AttributeValue: "true" }],
  };
  const failure = "error creating proxy protocol policy on load balancer: %q";
  return action(createLoadBalancerPolicy, params, failure);
}

function backendPolicy(name: string, port: number, isOn: boolean): AwsAction {
  const params = {
    LoadBalancerName: name,
    InstancePort: port,
    PolicyNames: isOn ? [proxyProtocolPolicy] : [],
  };
  const failure = "error adjusting AWS loadbalancer backend policies: %q";
  return action(setLoadBalancerPoliciesForBackendServer, params, failure);
}

export function planTags(name: string, tags: Readonly<Record<string, string>>): AwsAction[] {
  const list = Object.entries(tags).map(([key, value]) => ({ Key: key, Value: value }));
  if (list.length === 0) return [];
  const params = { LoadBalancerNames: [name], Tags: list };
  const failure =
    "unable to create additional load balancer tags: error adding tags to load balancer: %v";
  return [action(addTags, params, failure)];
}

/** Uses a TLS policy for all listeners with TLS, and creates it first if it is not there. */
export function planSslPolicy(
  loadBalancer: ClassicLoadBalancer,
  policy: string,
  exists: boolean,
): AwsAction[] {
  const name = loadBalancer.LoadBalancerName ?? "";
  const policyName = sslPolicyName(policy);
  const params = {
    LoadBalancerName: name,
    PolicyName: policyName,
    PolicyTypeName: "SSLNegotiationPolicyType",
    PolicyAttributes: [{ AttributeName: "Reference-Security-Policy", AttributeValue: policy }],
  };
  const creating = "error creating security policy on load balancer: %q";
  const setting =
    `error setting SSL negotiation policy '${policyName}' on load balancer: %q` as const;
  return [
    ...(exists ? [] : [action(createLoadBalancerPolicy, params, creating)]),
    ...tlsPorts(loadBalancer).map((port) => {
      const use = { LoadBalancerName: name, LoadBalancerPort: port, PolicyNames: [policyName] };
      return action(setLoadBalancerPoliciesOfListener, use, setting);
    }),
  ];
}

export function planInstances(
  { LoadBalancerName: name = "", Instances }: ClassicLoadBalancer,
  wanted: readonly string[],
): AwsAction[] {
  const actual = new Set(Instances.map(({ InstanceId = "" }) => InstanceId));
  const added = wanted.filter((id) => !actual.has(id)).toSorted();
  const removed = [...actual].filter((id) => !wanted.includes(id)).toSorted();
  const params = (ids: readonly string[]) => ({
    LoadBalancerName: name,
    Instances: ids.map((id) => ({ InstanceId: id })),
  });
  return [
    ...(added.length > 0 ? [action(registerInstancesWithLoadBalancer, params(added))] : []),
    ...(removed.length > 0 ? [action(deregisterInstancesFromLoadBalancer, params(removed))] : []),
  ];
}

import { annotate, type CloudCase, type Port, type Step } from "../cloud-case.ts";
import type { Fault } from "../recording-proxy.ts";

const certificate = "arn:aws:iam::123456789012:server-certificate/one";
const web: Port = { port: 80, nodePort: 30_080, name: "http", protocol: "TCP" };
const tls: Port = { port: 443, nodePort: 30_443, name: "https", protocol: "TCP" };
const alt: Port = { port: 8080, nodePort: 30_808, name: "alt", protocol: "TCP" };
const unready = {
  status: {
    conditions: [{ type: "Ready", status: "False", reason: "KubeletNotReady", message: "" }],
  },
};
const excluded = {
  metadata: { labels: { "node.kubernetes.io/exclude-from-external-load-balancers": "" } },
};

/** Changes after creation, each for both kinds of load balancers. */
export const changeCases: readonly CloudCase[] = (["clb", "nlb"] as const)
  .flatMap((kind): CloudCase[] => {
    const lb: Readonly<Record<string, string>> = kind === "nlb" ? { type: "nlb" } : {};
    const create: Step = { create: { lb, ports: [web, tls] }, until: "ensured" };
    const after = (name: string, ...steps: readonly Step[]): CloudCase => ({
      name: `${kind}: ${name}`,
      steps: [create, ...steps],
    });
    return [
      after("port added", { ...ports(web, tls, alt), until: "ensured" }),
      after("port removed", { ...ports(web), until: "ensured" }),
      after("port changed", { ...ports(web, { ...tls, port: 8443 }), until: "ensured" }),
      after("node port changed", { ...ports(web, { ...tls, nodePort: 30_444 }), until: "ensured" }),
      after("source ranges changed", {
        patch: { spec: { loadBalancerSourceRanges: ["10.1.0.0/16"] } },
        until: "ensured",
      }),
      after(
        "externalTrafficPolicy changed",
        {
          patch: { spec: { externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 } },
          until: "ensured",
        },
        {
          patch: { spec: { externalTrafficPolicy: "Cluster", healthCheckNodePort: 0 } },
          until: "ensured",
        },
      ),
      after("health check changed", {
        ...annotate({
          "healthcheck-interval": "20",
          "healthcheck-healthy-threshold": "5",
          "healthcheck-unhealthy-threshold": "5",
        }),
        until: "ensured",
      }),
      after(
        "health check path changed",
        {
          ...annotate({ "healthcheck-protocol": "HTTP", "healthcheck-path": "/a" }),
          until: "ensured",
        },
        { ...annotate({ "healthcheck-path": "/b" }), until: "ensured" },
      ),
      after(
        "cross-zone changed",
        { ...annotate({ "cross-zone-load-balancing-enabled": "true" }), until: "ensured" },
        { ...annotate({ "cross-zone-load-balancing-enabled": "false" }), until: "ensured" },
      ),
      after(
        "access logs changed",
        {
          ...annotate({ "access-log-enabled": "true", "access-log-s3-bucket-name": "logs" }),
          until: "ensured",
        },
        {
          ...annotate({ "access-log-s3-bucket-name": "other", "access-log-s3-bucket-prefix": "p" }),
          until: "ensured",
        },
        { ...annotate({ "access-log-enabled": "false" }), until: "ensured" },
      ),
      after("tags changed", {
        ...annotate({ "additional-resource-tags": "team=shop" }),
        until: "ensured",
      }),
      after("node added", { addNode: "i-4", until: "updated" }),
      after("node removed", { removeNode: "node-2", until: "updated" }),
      after(
        "node removed and added",
        { removeNode: "node-2", until: "updated" },
        { addNode: "i-2", until: "updated" },
      ),
      after("node not ready", { patchNode: "node-2", with: unready, until: "idle" }),
      after("node excluded", { patchNode: "node-2", with: excluded, until: "updated" }),
      after("node of an unknown instance", { addNode: "i-9", until: "updated" }),
      after("deleted", { remove: "web", until: "deleted" }),
      after("no longer a load balancer", {
        patch: { spec: { type: "ClusterIP" } },
        until: "removed",
      }),
      after("kind changed", {
        ...annotate({ type: kind === "nlb" ? null : "nlb" }),
        until: "failed",
      }),
      after("restart without changes", { restart: true, until: "ensured" }),
      after("deleted in AWS already", {
        remove: "web",
        faults: [missing(kind)],
        until: "deleted",
      }),
      {
        name: `${kind}: two Services, one deleted`,
        steps: [
          create,
          { create: { lb, name: "api", ports: [{ ...alt }] }, until: "ensured" },
          { remove: "api", until: "removed" },
        ],
      },
    ];
  })
  .concat([
    // moto can't change a listener to TLS: of network load balancers, the plan's own table shows it.
    {
      name: "clb: certificate added and removed",
      steps: [
        { create: { ports: [web, tls] }, until: "ensured" },
        { ...annotate({ "ssl-cert": certificate, "ssl-ports": "443" }), until: "ensured" },
        { ...annotate({ "ssl-cert": null, "ssl-ports": null }), until: "ensured" },
      ],
    },
    {
      name: "clb: subnets changed",
      steps: [
        { create: { lb: { subnets: "subnet-a,subnet-b" } }, until: "ensured" },
        { ...annotate({ subnets: "subnet-b,subnet-c" }), until: "ensured" },
      ],
    },
    {
      name: "clb: security groups changed",
      steps: [
        { create: {}, until: "ensured" },
        { ...annotate({ "security-groups": "sg-extra" }), until: "ensured" },
        {
          ...annotate({ "security-groups": null, "extra-security-groups": "sg-own" }),
          until: "ensured",
        },
        { remove: "web", until: "deleted" },
      ],
    },
    {
      name: "clb: own security groups, deleted",
      steps: [
        { create: { lb: { "security-groups": "sg-shared" } }, until: "ensured" },
        { remove: "web", until: "deleted" },
      ],
    },
    {
      name: "clb: proxy protocol changed",
      steps: [
        { create: { ports: [web, tls] }, until: "ensured" },
        { ...annotate({ "proxy-protocol": "*" }), until: "ensured" },
        { ...ports(web, alt), until: "ensured" },
        { ...annotate({ "proxy-protocol": null }), until: "ensured" },
      ],
    },
    {
      name: "clb: ssl-negotiation-policy changed",
      steps: [
        {
          create: { lb: { "ssl-cert": certificate, "ssl-negotiation-policy": "one" } },
          until: "ensured",
        },
        { ...annotate({ "ssl-negotiation-policy": "two" }), until: "ensured" },
        { removeNode: "node-3", until: "updated" },
      ],
    },
    {
      name: "nlb: target-group-attributes changed",
      steps: [
        {
          create: {
            lb: { type: "nlb", "target-group-attributes": "proxy_protocol_v2.enabled=true" },
          },
          until: "ensured",
        },
        {
          ...annotate({ "target-group-attributes": "proxy_protocol_v2.enabled=false" }),
          until: "ensured",
        },
        { ...annotate({ "target-group-attributes": null }), until: "ensured" },
      ],
    },
    {
      name: "nlb: target-node-labels changed",
      steps: [
        { create: { lb: { type: "nlb", "target-node-labels": "disk=ssd" } }, until: "ensured" },
        { ...annotate({ "target-node-labels": "disk=hdd" }), until: "ensured" },
      ],
    },
    {
      name: "nlb: UDP port of a Service with ranges removed",
      steps: [
        {
          create: {
            lb: { type: "nlb" },
            ports: [
              { port: 53, nodePort: 30_053, name: "dns", protocol: "UDP" },
              { port: 54, nodePort: 30_054, name: "alt", protocol: "UDP" },
            ],
            spec: { loadBalancerSourceRanges: ["10.1.0.0/16"] },
          },
          until: "ensured",
        },
        {
          ...ports({ port: 53, nodePort: 30_053, name: "dns", protocol: "UDP" }),
          until: "ensured",
        },
      ],
    },
    {
      name: "nlb: Managed, ports and ranges changed",
      global: { NLBSecurityGroupMode: "Managed" },
      steps: [
        { create: { lb: { type: "nlb" }, ports: [web, tls] }, until: "ensured" },
        { ...ports(web), until: "ensured" },
        { patch: { spec: { loadBalancerSourceRanges: ["10.1.0.0/16"] } }, until: "ensured" },
        { remove: "web", until: "deleted" },
      ],
    },
  ]);

function ports(...list: readonly Port[]): { patch: object } {
  return { patch: { spec: { ports: list } } };
}

function missing(kind: "clb" | "nlb"): Fault {
  return {
    call: kind === "nlb" ? "elbv2:DescribeLoadBalancers" : "elb:DescribeLoadBalancers",
    code: "LoadBalancerNotFound",
    message: "There is no ACTIVE Load Balancer named web",
    status: 400,
    times: 9,
  };
}

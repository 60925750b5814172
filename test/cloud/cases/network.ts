import { annotate, type CloudCase, type ServiceOptions } from "../cloud-case.ts";

const certificate = "arn:aws:iam::123456789012:server-certificate/one";
const web = { port: 80, nodePort: 30_080, name: "http" };
const tls = { port: 443, nodePort: 30_443, name: "https" };
const managed = { NLBSecurityGroupMode: "Managed" };

/** Network load balancers: their annotations one by one. */
export const networkCases: readonly CloudCase[] = [
  created("one port", {}),
  created("two ports", { ports: [web, tls] }),
  created("internal", { lb: { internal: "true" } }),
  created("UDP", { ports: [{ port: 53, nodePort: 30_053, name: "dns", protocol: "UDP" }] }),
  created("mixed protocols", { ports: [web, { ...tls, protocol: "UDP" }] }, "failed"),
  created("SCTP", { ports: [{ ...web, protocol: "SCTP" }] }, "failed"),
  created("source ranges", { spec: { loadBalancerSourceRanges: ["10.1.0.0/16", "192.0.2.0/24"] } }),
  created(
    "source ranges of IPv6",
    { spec: { loadBalancerSourceRanges: ["2001:db8::/32"] } },
    "failed",
  ),
  created("cross-zone", { lb: { "cross-zone-load-balancing-enabled": "true" } }),
  created(
    "cross-zone is no boolean",
    { lb: { "cross-zone-load-balancing-enabled": "si" } },
    "failed",
  ),
  created("access logs", {
    lb: {
      "access-log-enabled": "true",
      "access-log-s3-bucket-name": "logs",
      "access-log-s3-bucket-prefix": "web",
    },
  }),
  created("access-log-enabled is no boolean", { lb: { "access-log-enabled": "on" } }, "failed"),
  created("ssl-cert", { lb: { "ssl-cert": certificate }, ports: [web, tls] }),
  created("ssl-ports, policy, backend-protocol ssl", {
    lb: {
      "ssl-cert": certificate,
      "ssl-ports": "https",
      "ssl-negotiation-policy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
      "backend-protocol": "ssl",
    },
    ports: [web, tls],
  }),
  created("additional-resource-tags", { lb: { "additional-resource-tags": "team=shop,env=" } }),
  created("healthcheck annotations", {
    lb: {
      "healthcheck-protocol": "http",
      "healthcheck-port": "8080",
      "healthcheck-path": "/live",
      "healthcheck-healthy-threshold": "4",
      "healthcheck-unhealthy-threshold": "4",
      "healthcheck-timeout": "8",
      "healthcheck-interval": "10",
    },
  }),
  created("healthcheck-protocol unknown", { lb: { "healthcheck-protocol": "grpc" } }, "failed"),
  created("healthcheck-interval is no number", { lb: { "healthcheck-interval": "x" } }, "failed"),
  created("healthcheck-port is no number", { lb: { "healthcheck-port": "http" } }, "failed"),
  created("externalTrafficPolicy Local", {
    spec: { externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 },
  }),
  created("externalTrafficPolicy Local with TCP checks", {
    lb: { "healthcheck-protocol": "TCP", "healthcheck-port": "traffic-port" },
    spec: { externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 },
  }),
  created("eip-allocations", { lb: { "eip-allocations": "eipalloc-1,eipalloc-2,eipalloc-3" } }),
  created("eip-allocations, too few", { lb: { "eip-allocations": "eipalloc-1" } }, "failed"),
  created("private-ipv4-addresses", {
    lb: { internal: "true", "private-ipv4-addresses": "10.0.4.9,10.0.2.9,10.0.3.9" },
  }),
  created(
    "private-ipv4-addresses, too few",
    {
      lb: { internal: "true", "private-ipv4-addresses": "10.0.4.9" },
    },
    "failed",
  ),
  created("target-group-attributes", {
    lb: {
      "target-group-attributes": "preserve_client_ip.enabled=false,proxy_protocol_v2.enabled=true",
    },
    ports: [web, tls],
  }),
  created(
    "target-group-attributes unknown",
    { lb: { "target-group-attributes": "stickiness.enabled=true" } },
    "failed",
  ),
  created(
    "target-group-attributes empty value",
    { lb: { "target-group-attributes": "proxy_protocol_v2.enabled=" } },
    "failed",
  ),
  created(
    "target-group-attributes bad value",
    { lb: { "target-group-attributes": "proxy_protocol_v2.enabled=1" } },
    "failed",
  ),
  created(
    "target-group-attributes and UDP",
    {
      lb: { "target-group-attributes": "preserve_client_ip.enabled=false" },
      ports: [{ ...web, protocol: "UDP" }],
    },
    "failed",
  ),
  created("target-node-labels", { lb: { "target-node-labels": "disk" } }),
  created("subnets by id and name", { lb: { subnets: "subnet-a,second" } }),
  created("extra-security-groups", { lb: { "extra-security-groups": "sg-extra" } }, "failed"),
  created("security-groups are ignored", { lb: { "security-groups": "sg-extra" } }),
  { ...created("Managed security group", { ports: [web, tls] }), global: managed },
  {
    ...created("Managed security group with tags and ranges", {
      lb: { "additional-resource-tags": "team=shop" },
      spec: { loadBalancerSourceRanges: ["10.1.0.0/16"] },
    }),
    global: managed,
  },
  {
    ...created("Managed with security-groups", { lb: { "security-groups": "sg-extra,sg-own" } }),
    global: managed,
  },
  {
    ...created("invalid NLBSecurityGroupMode", {}, "failed"),
    global: { NLBSecurityGroupMode: "Own" },
  },
  {
    ...created("DisableSecurityGroupIngress", {}),
    global: { DisableSecurityGroupIngress: "true" },
  },
  {
    ...created("shared health probe", {}),
    global: { ClusterServiceLoadBalancerHealthProbeMode: "Shared" },
  },
  {
    ...created("node with an untagged group", {}),
    nodes: ["i-1", "i-4"],
  },
  {
    name: "nlb: Managed to own security groups and back",
    global: managed,
    steps: [
      { create: { lb: { type: "nlb" } }, until: "ensured" },
      { ...annotate({ "security-groups": "sg-extra" }), until: "ensured" },
      { ...annotate({ "security-groups": null }), until: "ensured" },
      { remove: "web", until: "deleted" },
    ],
  },
];

function created(
  name: string,
  create: ServiceOptions,
  until: CloudCase["steps"][number]["until"] = "ensured",
): CloudCase {
  const lb = { type: "nlb", ...create.lb };
  return { name: `nlb: ${name}`, steps: [{ create: { ...create, lb }, until }] };
}

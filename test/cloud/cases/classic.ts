import { annotate, type CloudCase } from "../cloud-case.ts";

const certificate = "arn:aws:iam::123456789012:server-certificate/one";
const web = { port: 80, nodePort: 30_080, name: "http" };
const tls = { port: 443, nodePort: 30_443, name: "https" };

/** Classic load balancers: their annotations one by one. */
export const classicCases: readonly CloudCase[] = [
  created("one port", {}),
  created("two ports", { ports: [web, tls] }),
  created("internal", { lb: { internal: "true" } }),
  created("internal is false", { lb: { internal: "false" } }),
  created("internal by any text", { lb: { internal: "0.0.0.0/0" } }),
  created("source ranges", { spec: { loadBalancerSourceRanges: ["10.1.0.0/16", "192.0.2.0/24"] } }),
  created("source ranges by annotation", {
    annotations: { "service.beta.kubernetes.io/load-balancer-source-ranges": "198.51.100.0/24" },
  }),
  created(
    "source ranges of IPv6",
    { spec: { loadBalancerSourceRanges: ["2001:db8::/32"] } },
    "failed",
  ),
  created("proxy-protocol", { lb: { "proxy-protocol": "*" }, ports: [web, tls] }),
  created("proxy-protocol of one port", { lb: { "proxy-protocol": "80" } }, "failed"),
  created("access-log-enabled with bucket, prefix, emit-interval", {
    lb: {
      "access-log-enabled": "true",
      "access-log-emit-interval": "5",
      "access-log-s3-bucket-name": "logs",
      "access-log-s3-bucket-prefix": "web",
    },
  }),
  created("access-log-enabled is no boolean", { lb: { "access-log-enabled": "on" } }, "failed"),
  created(
    "access-log-emit-interval is no number",
    { lb: { "access-log-emit-interval": "5m" } },
    "failed",
  ),
  created("connection-draining-enabled and timeout", {
    lb: { "connection-draining-enabled": "true", "connection-draining-timeout": "90" },
  }),
  created(
    "connection-draining-timeout is no number",
    { lb: { "connection-draining-timeout": "x" } },
    "failed",
  ),
  created(
    "connection-draining-enabled is no boolean",
    { lb: { "connection-draining-enabled": "yes" } },
    "failed",
  ),
  created("connection-idle-timeout", { lb: { "connection-idle-timeout": "120" } }),
  created(
    "connection-idle-timeout is no number",
    { lb: { "connection-idle-timeout": "1e3" } },
    "failed",
  ),
  created("cross-zone", { lb: { "cross-zone-load-balancing-enabled": "true" } }),
  created(
    "cross-zone is no boolean",
    { lb: { "cross-zone-load-balancing-enabled": "maybe" } },
    "failed",
  ),
  created("extra-security-groups", { lb: { "extra-security-groups": "sg-extra, sg-shared" } }),
  created("security-groups", { lb: { "security-groups": "sg-own,sg-extra" } }),
  created("security-groups and extra", {
    lb: { "security-groups": "sg-shared", "extra-security-groups": "sg-extra" },
  }),
  created("ssl-cert", { lb: { "ssl-cert": certificate }, ports: [web, tls] }),
  created("ssl-ports by number", {
    lb: { "ssl-cert": certificate, "ssl-ports": "443" },
    ports: [web, tls],
  }),
  created("ssl-ports by name", {
    lb: { "ssl-cert": certificate, "ssl-ports": "https" },
    ports: [web, tls],
  }),
  created("ssl-negotiation-policy", {
    lb: {
      "ssl-cert": certificate,
      "ssl-ports": "443",
      "ssl-negotiation-policy": "ELBSecurityPolicy-TLS-1-2-2017-01",
    },
    ports: [web, tls],
  }),
  created("backend-protocol http without certificate", { lb: { "backend-protocol": "http" } }),
  created("backend-protocol http", { lb: { "ssl-cert": certificate, "backend-protocol": "http" } }),
  created("backend-protocol https", {
    lb: { "ssl-cert": certificate, "backend-protocol": "https" },
  }),
  created("backend-protocol ssl", { lb: { "ssl-cert": certificate, "backend-protocol": "ssl" } }),
  created(
    "backend-protocol unknown",
    { lb: { "ssl-cert": certificate, "backend-protocol": "ftp" } },
    "failed",
  ),
  created("additional-resource-tags", {
    lb: { "additional-resource-tags": "team=shop, env=,bare,=none" },
  }),
  created("healthcheck annotations", {
    lb: {
      "healthcheck-protocol": "HTTP",
      "healthcheck-port": "8080",
      "healthcheck-path": "/live",
      "healthcheck-healthy-threshold": "4",
      "healthcheck-unhealthy-threshold": "3",
      "healthcheck-timeout": "3",
      "healthcheck-interval": "7",
    },
  }),
  created("healthcheck-interval too short", { lb: { "healthcheck-interval": "2" } }, "failed"),
  created("healthcheck-timeout is no number", { lb: { "healthcheck-timeout": "soon" } }, "failed"),
  created("healthcheck-port is no number", { lb: { "healthcheck-port": "http" } }, "failed"),
  created("target-node-labels", { lb: { "target-node-labels": "disk=ssd" } }),
  created("subnets by id", { lb: { subnets: "subnet-a, subnet-b" } }),
  created("subnets by name", { lb: { subnets: "first,third" } }),
  created("subnets that do not exist", { lb: { subnets: "first,fifth" } }, "failed"),
  created("subnets empty", { lb: { subnets: " , " } }, "failed"),
  created("externalTrafficPolicy Local", {
    spec: { externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 },
  }),
  created("externalTrafficPolicy Local with traffic-port", {
    lb: { "healthcheck-port": "traffic-port", "healthcheck-protocol": "TCP" },
    spec: { externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 },
  }),
  created("session affinity", { spec: { sessionAffinity: "ClientIP" } }, "failed"),
  created("UDP", { ports: [{ ...web, protocol: "UDP" }] }, "failed"),
  created("mixed protocols", { ports: [web, { ...tls, protocol: "UDP" }] }, "failed"),
  created("loadBalancerIP", { spec: { loadBalancerIP: "192.0.2.1" } }, "failed"),
  created(
    "target-group-attributes",
    { lb: { "target-group-attributes": "proxy_protocol_v2.enabled=true" } },
    "failed",
  ),
  created("type external", { lb: { type: "external" } }, "ensuring"),
  created("type nlb-ip", { lb: { type: "nlb-ip" } }, "ensuring"),
  {
    ...created("DisableSecurityGroupIngress", {}),
    global: { DisableSecurityGroupIngress: "true" },
  },
  { ...created("ElbSecurityGroup", {}), global: { ElbSecurityGroup: "sg-extra" } },
  {
    ...created("shared health probe", {}),
    global: {
      ClusterServiceLoadBalancerHealthProbeMode: "Shared",
      ClusterServiceSharedLoadBalancerHealthProbePort: "10999",
      ClusterServiceSharedLoadBalancerHealthProbePath: "/ready",
    },
  },
  { ...created("legacy cluster tag", {}), global: { KubernetesClusterTag: "test" } },
  { ...created("node with an untagged group", {}), nodes: ["i-1", "i-4"] },
  { ...created("no nodes", {}), nodes: [] },
  {
    ...created("node with two tagged groups", {}, "failed"),
    prepare: [
      {
        action: "ModifyInstanceAttribute",
        params: { InstanceId: "i-1", "GroupId.1": "sg-node", "GroupId.2": "sg-shared" },
      },
    ],
  },
  {
    ...created("a group of the name exists without tags", {}),
    steps: [
      { create: {}, until: "ensured" },
      { call: "DeleteTags", params: { "ResourceId.1": "sg-new1" }, until: "idle" },
      { ...annotate({ "connection-idle-timeout": "90" }), until: "ensured" },
    ],
  },
];

function created(
  name: string,
  create: Extract<CloudCase["steps"][number], { create: object }>["create"],
  until: CloudCase["steps"][number]["until"] = "ensured",
): CloudCase {
  return { name: `clb: ${name}`, steps: [{ create, until }] };
}

import {
  type Case,
  clusterWide,
  condition,
  crashed,
  event,
  node,
  pod,
  readyPod,
  recent,
  recorded,
} from "./recorded.ts";

const service = (spec: object, status: object = {}) =>
  recorded("v1", "Service", {
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 80 }], ...spec },
    status,
  });
const slice = recorded(
  "discovery.k8s.io/v1",
  "EndpointSlice",
  { endpoints: [{ conditions: { ready: true } }] },
  { name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
);
const ingress = (spec: object, status: object = {}) =>
  recorded("networking.k8s.io/v1", "Ingress", {
    spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } }, ...spec },
    status,
  });
const policy = recorded(
  "networking.k8s.io/v1",
  "NetworkPolicy",
  { spec: { podSelector: {}, policyTypes: ["Ingress"] } },
  { name: "deny" },
);
const served = { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } };
const listening = pod(
  { phase: "Running", conditions: [condition("Ready", "True")] },
  {},
  { ports: [{ name: "web", containerPort: 80 }] },
);

export const serviceCases: readonly Case[] = [
  {
    cause: "selector-matches-nothing",
    objects: [service({ selector: { app: "api" } }), readyPod()],
    says: /selector app=api matches no Pod \(pod\/web has app=web\)/,
  },
  {
    cause: "selector-matches-nothing",
    objects: [
      service({}),
      recorded("apps/v1", "Deployment", {
        spec: { replicas: 0, selector: {}, template: { metadata: { labels: { app: "web" } } } },
      }),
    ],
    says: /deployment\/web is scaled to 0/,
  },
  {
    cause: "service-without-selector",
    objects: [service({ selector: {} })],
    says: /leads nowhere/,
  },
  {
    cause: "target-port-name-missing",
    objects: [service({ ports: [{ port: 80, targetPort: "http" }] }), listening, slice],
    says: /targetPort "http" is the name of no port/,
  },
  {
    cause: "target-port-not-declared",
    objects: [service({ ports: [{ port: 80, targetPort: 8080 }] }), listening, slice],
    says: /probably stuck at service: its targetPort 8080/,
  },
  {
    cause: "target-port-closed",
    objects: [service({ ports: [{ port: 80, targetPort: 3000 }] }), readyPod(), slice],
    closed: ["web:3000"],
    says: /probably stuck at service: nothing listens on port 3000, to which its port 80 leads/,
  },
  {
    cause: "healthy",
    objects: [
      service({ type: "NodePort", externalTrafficPolicy: "Local" }),
      readyPod(),
      slice,
      node({}, { name: "n2" }),
    ],
    says: /healthy: it has 1 ready endpoint, but none on n2, where connections are dropped/,
  },
  {
    cause: "service-without-selector",
    objects: [
      service({ selector: {} }),
      recorded("discovery.k8s.io/v1", "EndpointSlice", {}, { name: "web-manual" }),
    ],
    says: /"web-manual" lacks the label kubernetes\.io\/service-name=web/,
  },
  {
    cause: "container-crash",
    objects: [
      ingress({}, { loadBalancer: { ingress: [{ ip: "198.51.100.1" }] } }),
      service({}),
      crashed({}),
    ],
    says: /ingress\/web is stuck at containers/,
  },
  {
    cause: "no-ready-endpoint",
    objects: [
      service({}),
      pod({
        phase: "Running",
        conditions: [{ ...condition("Ready", "False"), lastTransitionTime: recent }],
      }),
    ],
    says: /none of the 1 Pod that it selects is ready/,
  },
  {
    cause: "container-crash",
    objects: [service({}), crashed({})],
    says: /service\/web is stuck at containers: .*\(pod\/web\)/,
  },
  {
    cause: "endpoints-not-written",
    objects: [service({}), readyPod()],
    says: /controller has not written them/,
  },
  {
    cause: "load-balancer-pending",
    objects: [service({ type: "LoadBalancer" }), readyPod(), slice],
    says: /no load balancer address/,
  },
  {
    cause: "load-balancer-pending",
    objects: [
      service({ type: "LoadBalancer" }),
      readyPod(),
      slice,
      event("Service/web", "SyncLoadBalancerFailed", "no subnet"),
    ],
    says: /cannot be made \(SyncLoadBalancerFailed\): no subnet/,
  },
  {
    cause: "service-allocation",
    objects: [
      service({}),
      readyPod(),
      slice,
      event(
        "Service/web",
        "ClusterIPOutOfRange",
        "Cluster IP 1.2.3.4 is not within any configured Service CIDR",
      ),
    ],
    says: /ClusterIPOutOfRange/,
  },
  {
    cause: "network-policy",
    objects: [service({}), readyPod(), slice, policy],
    says: /NetworkPolicy deny denies all connections/,
  },
  {
    cause: "network-policy",
    objects: [
      service({}),
      readyPod(),
      slice,
      policy,
      event(
        "Pod/web",
        "NetworkPolicyDenied",
        "Denied a connection from 10.0.0.9 (b/client) to TCP port 80: no rule of NetworkPolicy/default/deny allows it",
      ),
    ],
    says: /traffic to its Pods is forbidden by NetworkPolicy\/default\/deny: Denied a connection from 10\.0\.0\.9/,
  },
  {
    cause: "connections-denied",
    objects: [
      pod({ phase: "Running", conditions: [condition("Ready", "False")] }),
      policy,
      event(
        "Pod/web",
        "NetworkPolicyDenied",
        "Denied a connection to 10.0.0.9 (b/db) at TCP port 5432: no rule of NetworkPolicy/default/deny allows it",
      ),
    ],
    says: /traffic is forbidden by NetworkPolicy\/default\/deny: Denied a connection to 10\.0\.0\.9 \(b\/db\)/,
  },
  { cause: "healthy", objects: [service({}), readyPod(), slice], says: /1 ready endpoint/ },
  {
    cause: "healthy",
    objects: [service({ type: "ExternalName", externalName: "a.example.com", selector: {} })],
    says: /alias of a\.example\.com/,
  },
  {
    cause: "ingress-class-missing",
    objects: [ingress({ ingressClassName: "nginx" }), service({}), readyPod(), slice],
    says: /IngressClass "nginx" does not exist/,
  },
  {
    cause: "ingress-class-missing",
    objects: [ingress({}), service({}), readyPod(), slice],
    says: /no IngressClass and the cluster has no default one/,
  },
  {
    cause: "ingress-backend-missing",
    objects: [ingress({})],
    says: /Service "web", does not exist/,
  },
  {
    cause: "ingress-backend-missing",
    objects: [
      ingress({ defaultBackend: { service: { name: "web", port: { number: 81 } } } }),
      service({}),
      readyPod(),
      slice,
    ],
    says: /has no port 81 \(it has 80\)/,
  },
  {
    cause: "ingress-not-taken-up",
    objects: [
      ingress({ ingressClassName: "nginx" }),
      clusterWide("networking.k8s.io/v1", "IngressClass", {}, { name: "nginx" }),
      service({}),
      readyPod(),
      slice,
    ],
    says: /no controller of its class "nginx"/,
  },
  {
    cause: "ingress-tls-secret-missing",
    objects: [
      ingress({ ingressClassName: "nginx", tls: [{ secretName: "cert" }] }, served),
      service({}),
      readyPod(),
      slice,
    ],
    says: /Secret "cert" with its TLS certificate/,
  },
  {
    cause: "gateway-refuses",
    objects: [
      recorded("gateway.networking.k8s.io/v1", "HTTPRoute", {
        status: {
          parents: [
            {
              parentRef: { name: "shop" },
              conditions: [
                condition("Accepted", "True"),
                condition(
                  "ResolvedRefs",
                  "False",
                  "BackendNotFound",
                  "Service a/web does not exist",
                ),
              ],
            },
          ],
        },
      }),
    ],
    says: /its parent shop says BackendNotFound: Service a\/web does not exist/,
  },
];

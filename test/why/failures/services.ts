import { container, type Failure, object, pod, script, service, workload } from "../failure.ts";

export const serviceFailures: readonly Failure[] = [
  {
    name: "selector",
    objects: [service({ selector: { app: "api" } }), pod(container())],
    layer: "service",
    says: /selector app=api matches no Pod \(pod\/web has app=web\)/,
  },
  {
    name: "target-port-name",
    objects: [
      service({ ports: [{ port: 80, targetPort: "http" }] }),
      pod(container({ ports: [{ containerPort: 80, name: "web" }] })),
    ],
    layer: "service",
    says: /targetPort "http" is the name of no port/,
  },
  {
    name: "target-port",
    objects: [
      service({ ports: [{ port: 80, targetPort: 8080 }] }),
      pod(container({ ports: [{ containerPort: 80 }] })),
    ],
    layer: "service",
    says: /nothing listens on port 8080, to which its port 80 leads/,
  },
  {
    name: "slice-without-label",
    objects: [
      service({ selector: {} }),
      object("discovery.k8s.io/v1", "EndpointSlice", "web-1", {
        addressType: "IPv4",
        endpoints: [{ addresses: ["192.0.2.1"] }],
      }),
    ],
    layer: "service",
    says: /"web-1" lacks the label kubernetes\.io\/service-name=web/,
  },
  {
    name: "budget-idle",
    objects: [
      object("policy/v1", "PodDisruptionBudget", "web", {
        spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
      }),
    ],
    layer: "controllers",
    says: /it protects nothing: its selector matches no Pod/,
  },
  {
    name: "no-endpoints",
    objects: [service(), workload("Deployment", script("exit 6"))],
    layer: "containers",
    says: /service\/web .*exit code 6/,
  },
  {
    name: "scaled-down",
    objects: [service(), workload("Deployment", container(), { spec: { replicas: 0 } })],
    layer: "service",
    says: /matches no Pod: deployment\/web is scaled to 0/,
  },
  {
    name: "healthy-service",
    objects: [service(), pod(container())],
    layer: "healthy",
    says: /1 ready endpoint/,
  },
  {
    name: "no-selector",
    objects: [service({ selector: null })],
    layer: "service",
    says: /no selector/,
  },
  {
    name: "load-balancer",
    objects: [
      service({ type: "LoadBalancer", loadBalancerClass: "example.com/absent" }),
      pod(container()),
    ],
    layer: "service",
    says: /no load balancer address.*example\.com\/absent/,
  },
  {
    name: "ingress-class",
    objects: [
      service(),
      pod(container()),
      {
        ...object("networking.k8s.io/v1", "Ingress", "web"),
        spec: {
          ingressClassName: "absent",
          defaultBackend: { service: { name: "web", port: { number: 80 } } },
        },
      },
    ],
    ask: "ingress/web",
    layer: "service",
    says: /IngressClass "absent" does not exist/,
  },
  {
    name: "ingress-backend",
    objects: [
      {
        ...object("networking.k8s.io/v1", "Ingress", "web"),
        spec: {
          ingressClassName: "absent",
          defaultBackend: { service: { name: "api", port: { number: 80 } } },
        },
      },
    ],
    layer: "service",
    says: /Service "api", does not exist/,
  },
];

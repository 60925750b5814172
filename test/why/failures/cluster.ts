import {
  claim,
  container,
  type Failure,
  mounted,
  named,
  object,
  pod,
  service,
  workload,
} from "../failure.ts";

const scaler = (name: string, metrics: readonly object[]) =>
  object("autoscaling/v2", "HorizontalPodAutoscaler", name, {
    spec: {
      ...{ maxReplicas: 3, metrics },
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    },
  });

const perPod = {
  type: "Pods",
  pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "10" } },
};

const requested = container({ resources: { requests: { cpu: "1m" } } });
const claimed = mounted({ persistentVolumeClaim: { claimName: "data" } });
const probe = (fields: object) => ({
  readinessProbe: { periodSeconds: 1, timeoutSeconds: 10, failureThreshold: 1, ...fields },
});

const toPort = (port: object) =>
  object("networking.k8s.io/v1", "Ingress", "web", {
    spec: {
      ingressClassName: "k8ts",
      rules: [
        {
          host: "why.example",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port } } }],
          },
        },
      ],
    },
  });

/** What the objects around a workload do to it. */
export const clusterFailures: readonly Failure[] = [
  {
    name: "quota-scope",
    objects: [
      object("v1", "ResourceQuota", "few", {
        spec: { hard: { pods: "0" }, scopes: ["BestEffort"] },
      }),
      workload("Deployment", container()),
    ],
    ask: "deployment/web",
    layer: "admission",
    says: /quota "few" is exceeded/,
  },
  {
    name: "quota-claims",
    objects: [
      object("v1", "ResourceQuota", "few", { spec: { hard: { persistentvolumeclaims: "0" } } }),
      workload("StatefulSet", container(mounted({}).mount), {
        spec: { volumeClaimTemplates: [claim()] },
      }),
    ],
    ask: "statefulset/web",
    layer: "admission",
    says: /quota "few" is exceeded, so new volume claims are refused/,
  },
  {
    name: "policy-parameters",
    objects: [
      object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "why-parameters", {
        spec: {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          matchConstraints: {
            resourceRules: [
              {
                ...{ apiGroups: [""], apiVersions: ["v1"] },
                ...{ operations: ["CREATE"], resources: ["pods"] },
              },
            ],
            namespaceSelector: {
              matchLabels: { "kubernetes.io/metadata.name": "policy-parameters" },
            },
          },
          validations: [{ expression: "true" }],
        },
      }),
      object(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
        "why-parameters",
        {
          spec: {
            policyName: "why-parameters",
            validationActions: ["Deny"],
            paramRef: {
              ...{ name: "absent", namespace: "policy-parameters" },
              parameterNotFoundAction: "Deny",
            },
          },
        },
      ),
      workload("Deployment", container()),
    ],
    // A new policy is in force a moment later: the first Pod may be made.
    afterwards: [["rollout", "restart", "deployment/web"]],
    ask: "deployment/web",
    layer: "admission",
    says: /ValidatingAdmissionPolicy "why-parameters" denies new Pods: .*no params found/,
  },
  {
    name: "scaler-of-zero",
    objects: [
      workload("Deployment", requested, { spec: { replicas: 0 } }),
      scaler("web", [perPod]),
    ],
    ask: "hpa/web",
    layer: "controllers",
    says: /scaled to 0, which switches it off/,
  },
  {
    name: "scaler-custom",
    objects: [workload("Deployment", requested), scaler("web", [perPod])],
    ask: "hpa/web",
    layer: "controllers",
    says: /the cluster serves no custom metrics/,
  },
  {
    name: "scalers",
    objects: [
      workload("Deployment", requested),
      scaler("web", [perPod]),
      scaler("other", [perPod]),
    ],
    ask: "hpa/web",
    layer: "controllers",
    says: /controlled by more than one HPA/,
  },
  {
    name: "balancer-class",
    objects: [
      pod(container()),
      service({ type: "LoadBalancer", loadBalancerClass: "example.com/absent" }),
    ],
    ask: "service/web",
    layer: "service",
    says: /no controller for its loadBalancerClass "example\.com\/absent"/,
  },
  {
    name: "balancer-address",
    objects: [pod(container()), service({ type: "LoadBalancer", loadBalancerIP: "203.0.113.9" })],
    ask: "service/web",
    layer: "service",
    says: /203\.0\.113\.9 is not in the pool/,
  },
  {
    name: "ingress-port",
    objects: [pod(container()), service(), toPort({ number: 8080 })],
    ask: "ingress/web",
    layer: "service",
    says: /its backend, the Service "web", has no port 8080 \(it has 80\)/,
  },
  {
    name: "service-protocol",
    objects: [
      pod(container({ ports: [{ containerPort: 80 }] })),
      service({ ports: [{ port: 80, protocol: "UDP" }] }),
    ],
    ask: "service/web",
    layer: "service",
    says: /its targetPort 80\/UDP is none of the ports that its Pods declare \(80\/TCP\)/,
  },
  {
    name: "class-topology",
    objects: [
      object("storage.k8s.io/v1", "StorageClass", "why-zone", {
        ...{ provisioner: "local.csi.k8ts.dev", volumeBindingMode: "WaitForFirstConsumer" },
        allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["absent"] }] }],
      }),
      claim({ storageClassName: "why-zone" }),
      pod(container(claimed.mount), claimed.spec),
    ],
    ask: "pod/web",
    layer: "volumes",
    says: /its StorageClass "why-zone" allows only zone in absent/,
  },
  {
    name: "claim-source",
    objects: [
      claim({
        storageClassName: "local",
        dataSource: { kind: "PersistentVolumeClaim", name: "absent" },
      }),
      pod(container(claimed.mount), claimed.spec),
    ],
    ask: "pvc/data",
    layer: "volumes",
    says: /persistentvolumeclaims "absent" not found/,
  },
  {
    name: "claim-ending",
    objects: [
      claim({ storageClassName: "local" }),
      named("first", pod(container(claimed.mount), claimed.spec)),
    ],
    afterwards: [
      ["wait", "pod/first", "--for=condition=Ready", "--timeout=300s"],
      ["delete", "pvc/data", "--wait=false"],
      named("second", pod(container(claimed.mount), claimed.spec)),
    ],
    ask: "pod/second",
    layer: "deletion",
    says: /it is being deleted, and stays while pod\/first and pod\/second use it/,
  },
  {
    name: "huge-pages",
    objects: [
      pod(
        container({
          resources: { limits: { "hugepages-1Gi": "512Gi", memory: "64Mi", cpu: "1m" } },
        }),
      ),
    ],
    layer: "scheduling",
    says: /insufficient hugepages-1Gi/,
  },
  {
    name: "spread-label",
    objects: [
      pod(container(), {
        topologySpreadConstraints: [
          {
            ...{ maxSkew: 1, topologyKey: "zone-absent", whenUnsatisfiable: "DoNotSchedule" },
            labelSelector: { matchLabels: { app: "web" } },
          },
        ],
      }),
    ],
    layer: "scheduling",
    says: /the nodes lack the label of the constraint/,
  },
  {
    name: "probe-port-name",
    objects: [
      pod(
        container({
          ports: [{ containerPort: 80, name: "web" }],
          ...probe({ httpGet: { path: "/", port: "http" } }),
        }),
      ),
    ],
    layer: "readiness",
    says: /its port "http" is no port of the container/,
  },
  {
    name: "probe-scheme",
    objects: [pod(container(probe({ httpGet: { path: "/", port: 80, scheme: "HTTPS" } })))],
    layer: "readiness",
    says: /it answers plain HTTP where HTTPS is expected/,
  },
];

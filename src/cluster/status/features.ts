import type { FeatureStatus } from "./cluster-status.ts";

/** An object as lists hold it, with the parts that features are recognised by. */
export interface ListedObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>> | null;
  };
  readonly spec?: { readonly clusterIP?: string; readonly controller?: string };
  readonly provisioner?: string;
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly unknown[] | null } | null;
  };
}

/** A feature that first-day manifests rely on, and how its provider shows in the API. */
interface Feature {
  readonly name: string;
  provider(objects: readonly ListedObject[]): string | undefined;
}

const defaultClass = "storageclass.kubernetes.io/is-default-class";

const features: readonly Feature[] = [
  {
    name: "DNS",
    provider: (objects) =>
      named(objects, "Service", "kube-dns").find(
        ({ metadata }) => metadata.namespace === "kube-system",
      )?.spec?.clusterIP,
  },
  {
    name: "storage",
    provider: (objects) =>
      objects.find(
        ({ kind, metadata }) =>
          kind === "StorageClass" && metadata.annotations?.[defaultClass] === "true",
      )?.provisioner,
  },
  {
    name: "load balancer",
    provider: (objects) =>
      objects.some(({ status }) => (status?.loadBalancer?.ingress?.length ?? 0) > 0)
        ? "addresses assigned"
        : undefined,
  },
  {
    name: "ingress",
    provider: (objects) => objects.find(({ kind }) => kind === "IngressClass")?.spec?.controller,
  },
  {
    name: "metrics",
    provider: (objects) => named(objects, "APIService", "v1beta1.metrics.k8s.io")[0]?.metadata.name,
  },
  // Nothing in the API shows an enforcer; k8ts has none of its own.
  { name: "network policy", provider: () => undefined },
];

/** What the cluster offers of the things that first-day manifests rely on. */
export const featuresOf = (objects: readonly ListedObject[]): FeatureStatus[] =>
  features.map(({ name, provider }) => ({ name, provider: provider(objects) ?? null }));

const named = (objects: readonly ListedObject[], kind: string, name: string): ListedObject[] =>
  objects.filter((object) => object.kind === kind && object.metadata.name === name);

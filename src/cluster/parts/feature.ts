import type { ClusterSettings } from "../base/settings.ts";

/** An object in a list, with the fields by which features are recognised. */
export interface ListedObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>> | null;
  };
  readonly spec?: {
    readonly clusterIP?: string;
    readonly controller?: string;
    readonly service?: { readonly namespace?: string; readonly name?: string } | null;
  };
  readonly provisioner?: string;
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly unknown[] | null } | null;
    readonly conditions?:
      | readonly { readonly type: string; readonly status: string; readonly message?: string }[]
      | null;
  };
}

/** A feature that first-day manifests rely on, and how its provider is recognised in the API. */
export interface Feature {
  readonly name: string;
  /** The built-in resources to list, as kubectl names them. */
  readonly resources: readonly string[];
  /** The provider, a part of the cluster or a program that the user has added; undefined if there is none. */
  provider(objects: readonly ListedObject[], settings: ClusterSettings): string | undefined;
}

/** The objects of a kind with a name. */
export const named = (
  objects: readonly ListedObject[],
  kind: string,
  name: string,
): ListedObject[] =>
  objects.filter((object) => object.kind === kind && object.metadata.name === name);

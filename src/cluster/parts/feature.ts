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
export interface Feature {
  readonly name: string;
  /** The built-in resources that show it, as kubectl names them. */
  readonly resources: readonly string[];
  /** Who provides it, a part of the cluster or a program that a user has added; undefined if none does. */
  provider(objects: readonly ListedObject[]): string | undefined;
}

/** The objects of a kind with a name. */
export const named = (
  objects: readonly ListedObject[],
  kind: string,
  name: string,
): ListedObject[] =>
  objects.filter((object) => object.kind === kind && object.metadata.name === name);

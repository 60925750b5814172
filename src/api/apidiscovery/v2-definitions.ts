import type * as metaV1 from "../meta/v1-definitions.ts";

export type DiscoveryFreshness = string;

export type ResourceScope = string;

export interface APIGroupDiscovery extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  versions?: APIVersionDiscovery[];
}

export interface APIGroupDiscoveryList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items?: APIGroupDiscovery[];
}

export interface APIResourceDiscovery {
  resource: string;
  responseKind?: metaV1.GroupVersionKind;
  scope: ResourceScope;
  singularResource: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: APISubresourceDiscovery[];
}

export interface APISubresourceDiscovery {
  subresource: string;
  responseKind?: metaV1.GroupVersionKind;
  acceptedTypes?: metaV1.GroupVersionKind[];
  verbs?: string[];
}

export interface APIVersionDiscovery {
  version: string;
  resources?: APIResourceDiscovery[];
  freshness?: DiscoveryFreshness;
}

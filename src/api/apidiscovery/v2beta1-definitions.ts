import type * as metaV1 from "../meta/v1-definitions.ts";

export interface APIGroupDiscovery extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  versions?: APIVersionDiscovery[];
}

export interface APIGroupDiscoveryList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items?: APIGroupDiscovery[];
}

export interface APIResourceDiscovery {
  resource?: string;
  responseKind?: metaV1.GroupVersionKind;
  scope?: string;
  singularResource?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: APISubresourceDiscovery[];
}

export interface APISubresourceDiscovery {
  subresource?: string;
  responseKind?: metaV1.GroupVersionKind;
  acceptedTypes?: metaV1.GroupVersionKind[];
  verbs?: string[];
}

export interface APIVersionDiscovery {
  version?: string;
  resources?: APIResourceDiscovery[];
  freshness?: string;
}

import type * as metaV1 from "../meta/v1-definitions.ts";

export interface AggregationRule {
  clusterRoleSelectors?: metaV1.LabelSelector[];
}

export interface ClusterRole extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  rules?: PolicyRule[];
  aggregationRule?: AggregationRule;
}

export interface ClusterRoleBinding extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export interface ClusterRoleBindingList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ClusterRoleBinding[];
}

export interface ClusterRoleList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ClusterRole[];
}

export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface Role extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  rules?: PolicyRule[];
}

export interface RoleBinding extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export interface RoleBindingList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: RoleBinding[];
}

export interface RoleList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Role[];
}

export interface RoleRef {
  apiGroup: string;
  kind: string;
  name: string;
}

export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

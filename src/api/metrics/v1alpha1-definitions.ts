import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export interface ContainerMetrics {
  name: string;
  usage: coreV1.ResourceList;
}

export interface NodeMetrics extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  timestamp: string;
  window: string;
  usage: coreV1.ResourceList;
}

export interface NodeMetricsList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: NodeMetrics[];
}

export interface PodMetrics extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  timestamp: string;
  window: string;
  containers: ContainerMetrics[];
}

export interface PodMetricsList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: PodMetrics[];
}

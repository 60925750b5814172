import type * as metaV1 from "../meta/v1-definitions.ts";

export interface ContainerMetrics {
  name: string;
  usage: Record<string, string>;
}

export interface NodeMetrics extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  timestamp: string;
  window: string;
  usage: Record<string, string>;
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

import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export interface MetricListOptions extends metaV1.TypeMeta {
  labelSelector?: string;
  metricLabelSelector?: string;
}

export interface MetricValue extends metaV1.TypeMeta {
  describedObject: coreV1.ObjectReference;
  metricName: string;
  timestamp: string;
  window?: number;
  value: string;
  selector?: metaV1.LabelSelector;
}

export interface MetricValueList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: MetricValue[];
}

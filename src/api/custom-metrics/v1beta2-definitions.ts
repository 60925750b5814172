import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export interface MetricIdentifier {
  name: string;
  selector?: metaV1.LabelSelector;
}

export interface MetricListOptions extends metaV1.TypeMeta {
  labelSelector?: string;
  metricLabelSelector?: string;
}

export interface MetricValue extends metaV1.TypeMeta {
  describedObject: coreV1.ObjectReference;
  metric: MetricIdentifier;
  timestamp: string;
  windowSeconds?: number;
  value: string;
}

export interface MetricValueList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: MetricValue[];
}

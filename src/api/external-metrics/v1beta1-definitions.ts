import type * as metaV1 from "../meta/v1-definitions.ts";

export interface ExternalMetricValue extends metaV1.TypeMeta {
  metricName: string;
  metricLabels: Record<string, string>;
  timestamp: string;
  window?: number;
  value: string;
}

export interface ExternalMetricValueList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ExternalMetricValue[];
}

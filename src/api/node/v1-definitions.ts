import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export interface Overhead {
  podFixed?: coreV1.ResourceList;
}

export interface RuntimeClass extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  handler: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

export interface RuntimeClassList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: RuntimeClass[];
}

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: coreV1.Toleration[];
}

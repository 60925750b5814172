import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export interface Event extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  eventTime: string;
  series?: EventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: coreV1.ObjectReference;
  related?: coreV1.ObjectReference;
  note?: string;
  type?: string;
  deprecatedSource?: coreV1.EventSource;
  deprecatedFirstTimestamp?: string;
  deprecatedLastTimestamp?: string;
  deprecatedCount?: number;
}

export interface EventList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Event[];
}

export interface EventSeries {
  count: number;
  lastObservedTime: string;
}

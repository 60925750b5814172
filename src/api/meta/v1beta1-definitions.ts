import type * as metaV1 from "./v1-definitions.ts";

export type PartialObjectMetadata = metaV1.PartialObjectMetadata;

export type Table = metaV1.Table;

export type TableOptions = metaV1.TableOptions;

export interface PartialObjectMetadataList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: metaV1.PartialObjectMetadata[];
}

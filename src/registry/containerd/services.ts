/** Upstream: github.com/containerd/containerd/api/services/{content,images,leases}/v1. */
import { bidi, serverStream, service, unary } from "#/std/grpc/grpc.ts";
import { type Decoded, map, message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { bool, bytes, enumeration, int64, string } from "#/std/protobuf/protobuf-field.ts";

const Empty = message({});
const FieldMask = message({ paths: repeated(string(1)) });

const Info = message({ digest: string(1), size: int64(2), labels: map(5, string, string) });
export type Info = Decoded<typeof Info>;

const Descriptor = message({
  mediaType: string(1),
  digest: string(2),
  size: int64(3),
  annotations: map(5, string, string),
});

const Image = message({
  name: string(1),
  labels: map(2, string, string),
  target: nested(3, Descriptor),
});
export type Image = Decoded<typeof Image>;

const action = enumeration(1, { STAT: 0, WRITE: 1, COMMIT: 2 });

const WriteRequest = message({
  action,
  ref: string(2),
  total: int64(3),
  expected: string(4),
  offset: int64(5),
  data: bytes(6),
  labels: map(7, string, string),
});

const WriteResponse = message({ action, offset: int64(4), digest: string(6) });

export const contentService = service("containerd.services.content.v1.Content", {
  Info: unary(message({ digest: string(1) }), message({ info: nested(1, Info) })),
  Update: unary(
    message({ info: nested(1, Info), updateMask: nested(2, FieldMask) }),
    message({ info: nested(1, Info) }),
  ),
  List: serverStream(
    message({ filters: repeated(string(1)) }),
    message({ info: repeated(nested(1, Info)) }),
  ),
  Read: serverStream(
    message({ digest: string(1), offset: int64(2), size: int64(3) }),
    message({ offset: int64(1), data: bytes(2) }),
  ),
  Status: unary(
    message({ ref: string(1) }),
    message({ status: nested(1, message({ ref: string(3), offset: int64(4) })) }),
  ),
  ListStatuses: unary(
    message({ filters: repeated(string(1)) }),
    message({ statuses: repeated(nested(1, message({ ref: string(3), offset: int64(4) }))) }),
  ),
  Write: bidi(WriteRequest, WriteResponse),
  Abort: unary(message({ ref: string(1) }), Empty),
});

export const imagesService = service("containerd.services.images.v1.Images", {
  Get: unary(message({ name: string(1) }), message({ image: nested(1, Image) })),
  List: unary(
    message({ filters: repeated(string(1)) }),
    message({ images: repeated(nested(1, Image)) }),
  ),
  Create: unary(message({ image: nested(1, Image) }), message({ image: nested(1, Image) })),
  Update: unary(
    message({ image: nested(1, Image), updateMask: nested(2, FieldMask) }),
    message({ image: nested(1, Image) }),
  ),
  Delete: unary(message({ name: string(1), sync: bool(2) }), Empty),
});

export const leasesService = service("containerd.services.leases.v1.Leases", {
  Create: unary(message({ id: string(1), labels: map(3, string, string) }), Empty),
  Delete: unary(message({ id: string(1), sync: bool(2) }), Empty),
  AddResource: unary(
    message({ id: string(1), resource: nested(2, message({ id: string(1), type: string(2) })) }),
    Empty,
  ),
});

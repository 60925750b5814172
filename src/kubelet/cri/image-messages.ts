/** Upstream: k8s.io/cri-api/pkg/apis/runtime/v1/api.proto. */
import {
  type Decoded,
  type Encodable,
  map,
  message,
  nested,
  repeated,
} from "#/std/protobuf/protobuf.ts";
import { bool, string } from "#/std/protobuf/protobuf-field.ts";
import { roundedInt64 } from "./rounded-int64.ts";
import { Int64Value } from "./sandbox-messages.ts";

export const ImageSpec = message({
  image: string(1),
  annotations: map(2, string, string),
  userSpecifiedImage: string(18),
  runtimeHandler: string(19),
  imageRef: string(20),
});
export type ImageSpec = Encodable<typeof ImageSpec>;

export const Image = message({
  id: string(1),
  repoTags: repeated(string(2)),
  repoDigests: repeated(string(3)),
  size: roundedInt64(4),
  uid: nested(5, Int64Value),
  username: string(6),
  spec: nested(7, ImageSpec),
  pinned: bool(8),
});
export type Image = Decoded<typeof Image>;

export const AuthConfig = message({
  username: string(1),
  password: string(2),
  auth: string(3),
  serverAddress: string(4),
  identityToken: string(5),
  registryToken: string(6),
});
export type AuthConfig = Encodable<typeof AuthConfig>;

import { createHash } from "node:crypto";

/** How the content of a volume is kept: an image file with a file system of its own, or a folder. */
export type BackendName = "image" | "directory";

/** The content of a volume or snapshot. */
export interface Content {
  readonly backend: BackendName;
  /** A device without a file system, whose bytes a Pod writes. */
  readonly isBlock: boolean;
  /** The file system in an image: "ext4" or "xfs". */
  readonly fsType: FsType;
  readonly capacityBytes: number;
  /** The size of the file system in an image; 0 before the first mount, which makes it. */
  readonly formattedBytes: number;
}

export type FsType = "ext4" | "xfs";

/** The origin of a volume's content. */
export type ContentSource =
  | { readonly snapshot: string; readonly volume?: never }
  | { readonly volume: string; readonly snapshot?: never };

interface Item extends Content {
  /** The handle in the API, and the name of its folder. */
  readonly id: string;
  /** The name by which it was created: a request with the same name means the same item. */
  readonly name: string;
  readonly createdMs: number;
}

export interface VolumeRecord extends Item {
  readonly source?: ContentSource;
}

export interface SnapshotRecord extends Item {
  readonly volumeId: string;
}

const plainName = /^[a-z0-9](?:[-a-z0-9]{0,126}[a-z0-9])?$/;

/** The id of a volume or snapshot with a name: the same one for each request. */
export function idOf(name: string): string {
  if (plainName.test(name)) return name;
  return `n-${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
}

/** Whether a handle from the API can be an id of this driver, and so the name of a folder. */
export const isId = (text: string): boolean => plainName.test(text);

import type { BackendName, Content } from "./volume-record.ts";

/** Where a content is mounted, and with which options. */
export interface Mounting {
  readonly target: string;
  readonly flags: readonly string[];
}

/**
 * How the content of volumes is kept. Paths are in folders that only root can enter. Each method can be interrupted at any
 * point and be called again.
 */
export interface Backend {
  readonly name: BackendName;
  /** Whether a Pod cannot write more than the size of its volume. */
  readonly enforcesSizes: boolean;
  readonly hasBlockDevices: boolean;
  /** Makes an empty content at a path where nothing is. */
  create(path: string, content: Content): Promise<void>;
  /** Copies a content to a path where nothing is; Pods may write to it meanwhile. */
  copy(from: string, to: string, content: Content): Promise<void>;
  /** Gives a content its capacity, which has become larger. It may be in use. */
  resize(path: string, content: Content): Promise<void>;
  /** Mounts a file system; returns the size of the file system in it (bytes). */
  mount(path: string, content: Content, mounting: Mounting): Promise<number>;
  /** Makes the file system of a mounted content as large as its capacity; returns the size of the file system. */
  growMounted(path: string, content: Content, target: string): Promise<number>;
  /** Where a content is mounted. */
  mountsOf(path: string): Promise<readonly string[]>;
  /** Attaches a block device, unless it is attached, and returns its path. */
  attach(path: string): Promise<string>;
  /** Detaches what attach() has attached, also by an earlier process. */
  detach(path: string): Promise<void>;
  /** Gives up what a content has outside of its path, before that is removed. The content may be another back-end's. */
  release(path: string): Promise<void>;
  /** The bytes that a content takes from the pool. */
  usedBytes(path: string): Promise<number>;
}

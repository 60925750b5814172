import type { ClusterPaths } from "../base/paths.ts";
import type { Mirror } from "./registry-mirrors.ts";
import type { Restrictions } from "./restricted-runtime.ts";

/** The input of a runtime's configuration. */
export interface RuntimeContext extends Restrictions {
  readonly paths: ClusterPaths;
  /** The folder with the CNI plugins. */
  readonly cniPlugins: string;
  /** True if systemd manages the containers' cgroups. */
  readonly systemdCgroup: boolean;
  /** Where registries are asked for images before they are asked themselves, in this order. */
  readonly mirrors: readonly Mirror[];
  /** The path of a program of the runtime; throws if the machine has none of that name. */
  programPath(name: string): string;
  /** The output of a program of the runtime. */
  output(program: string, args: readonly string[]): Promise<string>;
}

/** A program that a runtime needs. */
export interface RuntimeNeed {
  readonly program: string;
  /** Its Debian package; undefined if Debian has none. */
  readonly debianPackage?: string;
  /** How to install it, for a program without a package. */
  readonly advice?: string;
  /** Arguments with which it does nothing and succeeds; --version if not given, false if there are none. */
  readonly check?: readonly string[] | false;
}

/** A file that a runtime reads. */
export interface RuntimeFile {
  readonly path: string;
  readonly text: string;
  /** Permission bits; 0600 if not given. */
  readonly mode?: number;
}

/** A program of a runtime that is kept running. */
export interface RuntimeProgram {
  /** Its name in logs and units. */
  readonly name: string;
  /** Its command line; the first word is found in the runtime's folder, then in $PATH. */
  command(paths: ClusterPaths): readonly string[];
  /** Files that it reads at its start: it is restarted when they change. */
  files(paths: ClusterPaths): readonly string[];
  /** The socket on which it listens once it is ready. */
  socket(paths: ClusterPaths): string;
  /** Folders with state that ends with the machine's run: they are emptied at the first start after a boot. */
  transient?(paths: ClusterPaths): readonly string[];
  /** Settings of its systemd unit, as its own project has them. */
  readonly unit: string;
}

/** The images of a runtime, as far as CRI has no call for them. */
export interface ImageStore {
  has(name: string): Promise<boolean>;
  /** Loads an uncompressed archive of images, OCI's or Docker's; returns a line for each image. */
  load(archive: string): Promise<readonly string[]>;
  /** Removes one of several names of an image; undefined if CRI's RemoveImage does so. */
  untag?(name: string): Promise<void>;
}

/**
 * A container runtime that a cluster can run, declared once: packages, configuration, supervised programs, units, images and
 * clean-up all derive from the list in index.ts.
 */
export interface Runtime {
  /** Its name for --runtime. */
  readonly name: string;
  /** Its name in CRI's Version and in the Node's status. */
  readonly criName: string;
  readonly needs: readonly RuntimeNeed[];
  /** In the order in which they are started; the last one serves CRI. */
  readonly programs: readonly RuntimeProgram[];
  /** The programs that hold its containers, and outlive it: prefixes of their names. */
  readonly monitors: readonly string[];
  /** Folders that it needs, besides those of its files. */
  folders(paths: ClusterPaths): readonly string[];
  files(context: RuntimeContext): Promise<readonly RuntimeFile[]>;
  /** Why it can't use a mirror, as the end of a sentence; undefined if it can. */
  mirrorProblem?(mirror: Mirror): string | undefined;
  /** The images of a cluster's own runtime. */
  ownImages(paths: ClusterPaths, run: RunRuntimeProgram): ImageStore;
  /** The images of a runtime that the user runs, at its CRI socket. */
  imagesAt(socket: string, run: RunRuntimeProgram): Promise<ImageStore>;
  /** A warning about an installed version with known holes; undefined if there is no reason. */
  risk?(run: RunRuntimeProgram): Promise<string | undefined>;
}

/** Runs a program of a runtime to its end, and returns its output. */
export type RunRuntimeProgram = (program: string, args: readonly string[]) => Promise<string>;

/** Paths of a runtime's own files below a cluster's folder. */
export const runtimePlace = (paths: ClusterPaths, name: string) => ({
  data: `${paths.folder}/${name}`,
  config: `${paths.config}/${name}`,
  run: `${paths.run}/${name}`,
});

/** The folder of a user's own settings for registries, in the format of the runtime. */
export const registriesFolder = (paths: ClusterPaths): string => `${paths.config}/registries`;

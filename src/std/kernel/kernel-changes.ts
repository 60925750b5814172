import { readFile, readlink, writeFile } from "node:fs/promises";
import { type RunProgram, runProgram } from "../process/run-program.ts";

/** A change of the machine's kernel, which stays when the process ends: the value of a file in /proc/sys or /sys, or a module. */
export type KernelChange =
  | {
      readonly file: string;
      readonly before: string;
      readonly after: string;
      /** The network namespace, as in /proc/self/ns/net; undefined if the file is the same in all of them. */
      readonly network?: string | undefined;
    }
  | { readonly module: string };

type Observer = (change: KernelChange) => void;

/** Of the process, as the kernel is one for all of its components. Replaced at the start of a program, if at all. */
let observe: Observer = () => undefined;

/** Has each change of the kernel reported, before it is made, so that it can be undone whatever happens next. */
export function observeKernelChanges(observer: Observer): void {
  observe = observer;
}

/** Writes a value to a file of the kernel unless it is there already; returns true if it was written. */
export async function setKernelFile(file: string, value: string): Promise<boolean> {
  const read = async (): Promise<string> => (await readFile(file, "utf8")).trim();
  const before = await read();
  if (before === value) return false;
  const network = await networkOf(file);
  observe({ file, before, after: value, network });
  await writeFile(file, value);
  // The kernel may round it.
  const after = await read();
  if (after !== value) observe({ file, before, after, network });
  return true;
}

/** The network namespace of this process. */
export const ownNetwork = (): Promise<string> => readlink("/proc/self/ns/net");

/** The network namespace of this process, for a file of which each namespace has its own. */
export async function networkOf(file: string): Promise<string | undefined> {
  return file.startsWith("/proc/sys/net/") ? await ownNetwork() : undefined;
}

/** Loads a module of the kernel. One that is built in, or missing, is no error: the caller's next step shows it. */
export async function loadModule(name: string, run: RunProgram = runProgram): Promise<boolean> {
  if (await isLoaded(name)) return false;
  await run("modprobe", [name]).catch(() => undefined);
  const wasLoaded = await isLoaded(name);
  if (wasLoaded) observe({ module: name });
  return wasLoaded;
}

async function isLoaded(name: string): Promise<boolean> {
  const modules = await readFile("/proc/modules", "utf8").catch(() => "");
  return modules.split("\n").some((line) => line.startsWith(`${name} `));
}

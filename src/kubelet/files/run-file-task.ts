import { FileWorkers } from "./file-workers.ts";

const workers = new FileWorkers();

/** Does a task on a volume's files in another process: see FileWorkers. */
export const runFileTask: FileWorkers["run"] = (task, input, place) =>
  workers.run(task, input, place);

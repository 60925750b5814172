/** What is said of a CronJob that a person has suspended. */
export const suspendedText = "it is suspended (spec.suspend), so its controller starts no Jobs";

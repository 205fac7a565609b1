/** What the primary adds to the metrics of its processes, in Prometheus' text format. */
export function primaryMetrics({ ready, replaced }: { ready: number; replaced: number }): string {
  const { user, system } = process.cpuUsage();
  return [
    family("signalbox_processes", "gauge", "Processes of this server that are ready", ready),
    family("signalbox_processes_replaced_total", "counter", "Processes that ended and were replaced", replaced),
    family("process_cpu_user_seconds_total", "counter", "Total user CPU time spent in seconds.", user / 1e6),
    family(
      "process_cpu_seconds_total",
      "counter",
      "Total user and system CPU time spent in seconds.",
      (user + system) / 1e6,
    ),
    family("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", process.memoryUsage.rss()),
  ].join("");
}

const family = (name: string, type: "gauge" | "counter", help: string, value: number): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`;

export interface Device {
  category: string;
  system: string;
  systemVersion: string;
  browser: string;
  brand: string;
  model: string;
  resolution: string;
  weight: number;
}

// category, operating system, its version, browser, brand, model, screen, weight
const rows: [string, string, string, string, string, string, string, number][] = [
  ["desktop", "Windows", "11", "Chrome", "(not set)", "(not set)", "1920x1080", 150],
  ["desktop", "Windows", "10", "Chrome", "(not set)", "(not set)", "1536x864", 70],
  ["desktop", "Windows", "11", "Edge", "Microsoft", "(not set)", "1920x1080", 55],
  ["desktop", "Windows", "10", "Firefox", "(not set)", "(not set)", "1366x768", 24],
  ["desktop", "Macintosh", "15.1", "Safari", "Apple", "(not set)", "1440x900", 62],
  ["desktop", "Macintosh", "14.6", "Chrome", "Apple", "(not set)", "1728x1117", 58],
  ["desktop", "Linux", "(not set)", "Firefox", "(not set)", "(not set)", "2560x1440", 16],
  ["desktop", "Linux", "(not set)", "Chrome", "(not set)", "(not set)", "1920x1080", 12],
  ["desktop", "Chrome OS", "128.0", "Chrome", "(not set)", "(not set)", "1366x768", 8],
  ["mobile", "iOS", "18.1", "Safari", "Apple", "iPhone", "390x844", 160],
  ["mobile", "iOS", "17.6", "Safari", "Apple", "iPhone", "393x852", 70],
  ["mobile", "Android", "14", "Chrome", "Samsung", "SM-S921B", "360x780", 90],
  ["mobile", "Android", "15", "Chrome", "Google", "Pixel 8", "412x915", 44],
  ["mobile", "Android", "13", "Samsung Internet", "Samsung", "SM-A546B", "412x892", 30],
  ["tablet", "iOS", "17.6", "Safari", "Apple", "iPad", "810x1080", 28],
  ["tablet", "Android", "13", "Chrome", "Samsung", "SM-X200", "800x1280", 12],
  ["smart tv", "Tizen", "7.0", "Samsung Internet", "Samsung", "(not set)", "1920x1080", 3],
];

export const devices: Device[] = rows.map(
  ([category, system, systemVersion, browser, brand, model, resolution, weight]) => ({
    category,
    system,
    systemVersion,
    browser,
    brand,
    model,
    resolution,
    weight,
  }),
);

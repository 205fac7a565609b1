export interface Place {
  city: string;
  region: string;
  country: string;
  countryId: string;
  subContinent: string;
  continent: string;
  language: string;
  weight: number;
}

const continentIds: Record<string, string> = {
  Africa: "002",
  Americas: "019",
  Asia: "142",
  Europe: "150",
  Oceania: "009",
};
export const continentId = (continent: string): string => continentIds[continent] ?? "(not set)";

/** Language name and code of a browser, by the short code used in the table below. */
export const languages = [
  { name: "English", code: "en-us" },
  { name: "French", code: "fr-fr" },
  { name: "German", code: "de-de" },
  { name: "Spanish", code: "es-es" },
  { name: "Italian", code: "it-it" },
  { name: "Dutch", code: "nl-nl" },
  { name: "Portuguese", code: "pt-br" },
  { name: "Japanese", code: "ja-jp" },
  { name: "Polish", code: "pl-pl" },
  { name: "Swedish", code: "sv-se" },
  { name: "(not set)", code: "(not set)" },
];

// city, region, country, country id, subcontinent, continent, language code, weight
const rows: [string, string, string, string, string, string, string, number][] = [
  ["Paris", "Ile-de-France", "France", "FR", "Western Europe", "Europe", "fr-fr", 120],
  ["Lyon", "Auvergne-Rhone-Alpes", "France", "FR", "Western Europe", "Europe", "fr-fr", 42],
  ["Marseille", "Provence-Alpes-Cote d'Azur", "France", "FR", "Western Europe", "Europe", "fr-fr", 34],
  ["Toulouse", "Occitanie", "France", "FR", "Western Europe", "Europe", "fr-fr", 22],
  ["Nantes", "Pays de la Loire", "France", "FR", "Western Europe", "Europe", "fr-fr", 18],
  ["(not set)", "(not set)", "France", "FR", "Western Europe", "Europe", "fr-fr", 26],
  ["Berlin", "Berlin", "Germany", "DE", "Western Europe", "Europe", "de-de", 52],
  ["Munich", "Bavaria", "Germany", "DE", "Western Europe", "Europe", "de-de", 36],
  ["Hamburg", "Hamburg", "Germany", "DE", "Western Europe", "Europe", "de-de", 24],
  ["Madrid", "Community of Madrid", "Spain", "ES", "Southern Europe", "Europe", "es-es", 44],
  ["Barcelona", "Catalonia", "Spain", "ES", "Southern Europe", "Europe", "es-es", 38],
  ["Valencia", "Valencian Community", "Spain", "ES", "Southern Europe", "Europe", "es-es", 14],
  ["London", "England", "United Kingdom", "GB", "Northern Europe", "Europe", "en-us", 62],
  ["Manchester", "England", "United Kingdom", "GB", "Northern Europe", "Europe", "en-us", 20],
  ["Edinburgh", "Scotland", "United Kingdom", "GB", "Northern Europe", "Europe", "en-us", 10],
  ["Milan", "Lombardy", "Italy", "IT", "Southern Europe", "Europe", "it-it", 28],
  ["Rome", "Lazio", "Italy", "IT", "Southern Europe", "Europe", "it-it", 24],
  ["Amsterdam", "North Holland", "Netherlands", "NL", "Western Europe", "Europe", "nl-nl", 26],
  ["Rotterdam", "South Holland", "Netherlands", "NL", "Western Europe", "Europe", "nl-nl", 10],
  ["Brussels", "Brussels", "Belgium", "BE", "Western Europe", "Europe", "fr-fr", 20],
  ["Zurich", "Zurich", "Switzerland", "CH", "Western Europe", "Europe", "de-de", 14],
  ["Warsaw", "Masovian Voivodeship", "Poland", "PL", "Eastern Europe", "Europe", "pl-pl", 16],
  ["Stockholm", "Stockholm County", "Sweden", "SE", "Northern Europe", "Europe", "sv-se", 14],
  ["Lisbon", "Lisbon", "Portugal", "PT", "Southern Europe", "Europe", "pt-br", 10],
  ["New York", "New York", "United States", "US", "Northern America", "Americas", "en-us", 46],
  ["Los Angeles", "California", "United States", "US", "Northern America", "Americas", "en-us", 30],
  ["Chicago", "Illinois", "United States", "US", "Northern America", "Americas", "en-us", 20],
  ["Ashburn", "Virginia", "United States", "US", "Northern America", "Americas", "en-us", 12],
  ["(not set)", "(not set)", "United States", "US", "Northern America", "Americas", "en-us", 12],
  ["Toronto", "Ontario", "Canada", "CA", "Northern America", "Americas", "en-us", 16],
  ["Montreal", "Quebec", "Canada", "CA", "Northern America", "Americas", "fr-fr", 14],
  ["Sao Paulo", "State of Sao Paulo", "Brazil", "BR", "South America", "Americas", "pt-br", 18],
  ["Mexico City", "Mexico City", "Mexico", "MX", "Central America", "Americas", "es-es", 10],
  ["Tokyo", "Tokyo", "Japan", "JP", "Eastern Asia", "Asia", "ja-jp", 16],
  ["Singapore", "(not set)", "Singapore", "SG", "Southeast Asia", "Asia", "en-us", 8],
  ["Bengaluru", "Karnataka", "India", "IN", "Southern Asia", "Asia", "en-us", 14],
  ["Sydney", "New South Wales", "Australia", "AU", "Australasia", "Oceania", "en-us", 14],
  ["Casablanca", "Casablanca-Settat", "Morocco", "MA", "Northern Africa", "Africa", "fr-fr", 8],
  ["(not set)", "(not set)", "(not set)", "(not set)", "(not set)", "(not set)", "(not set)", 7],
];

export const places: Place[] = rows.map(
  ([city, region, country, countryId, subContinent, continent, language, weight]) => ({
    city,
    region,
    country,
    countryId,
    subContinent,
    continent,
    language,
    weight,
  }),
);

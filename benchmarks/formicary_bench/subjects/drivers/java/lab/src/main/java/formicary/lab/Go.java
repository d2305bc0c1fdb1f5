package formicary.lab;

/** What the laboratory orders: its `go`, see docs/drivers.md. */
final class Go {
    int trips;
    int[] laps = {};
}

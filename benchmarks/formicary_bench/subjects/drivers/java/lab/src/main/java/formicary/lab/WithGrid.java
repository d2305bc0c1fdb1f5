package formicary.lab;

import java.util.List;
import java.util.function.IntConsumer;

/** A platform whose agents can be the cells of a grid; `prepare` makes the grid where that is measured. */
public abstract class WithGrid implements Platform {
    protected Grid grid;

    @Override
    public final long loop(int size, IntConsumer step) throws Exception {
        return grid.run(size, step);
    }

    @Override
    public final List<long[]> tallies() {
        return grid == null ? List.of() : grid.tallies();
    }
}

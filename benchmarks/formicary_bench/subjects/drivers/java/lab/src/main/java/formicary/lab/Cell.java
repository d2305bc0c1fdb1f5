package formicary.lab;

import java.util.concurrent.ThreadLocalRandom;

/**
 * A cell of a grid, which asks others at random to swap numbers. A platform hands it one message at a time.
 *
 * While it waits for an answer it refuses what it is asked. Who is asked swaps, and asks next; who has asked becomes
 * idle, and who was refused asks another one.
 */
public final class Cell {
    private static final ToCell REFUSE = new ToCell.Refuse();
    private final Grid grid;
    private final int place;
    private boolean busy;
    private boolean isToBegin; // once it is idle

    public Cell(Grid grid, int place) {
        this.grid = grid;
        this.place = place;
    }

    /** Do what a message asks for. */
    public void handle(ToCell message) {
        if (message instanceof ToCell.Request request) {
            requested(request);
        } else if (message instanceof ToCell.Inform inform) {
            grid.setNumber(place, inform.number());
            grid.swapped(place);
            rest();
        } else if (message instanceof ToCell.Refuse) {
            grid.refused(place);
            ask();
        } else if (busy) { // a Start; one that has begun before has swapped with it already
            isToBegin = true;
        } else {
            busy = true;
            ask();
        }
    }

    private void requested(ToCell.Request request) {
        if (busy) {
            grid.tell(request.from(), REFUSE);
            return;
        }
        grid.grant();
        grid.tell(request.from(), new ToCell.Inform(grid.number(place)));
        grid.setNumber(place, request.number());
        busy = true;
        ask();
    }

    private void ask() {
        if (grid.isOver()) {
            grid.retire();
            rest();
            return;
        }
        int other = ThreadLocalRandom.current().nextInt(grid.size() - 1);
        grid.tell(other < place ? other : other + 1, new ToCell.Request(grid.number(place), place));
    }

    private void rest() {
        busy = isToBegin;
        if (isToBegin) {
            isToBegin = false;
            ask();
        }
    }
}

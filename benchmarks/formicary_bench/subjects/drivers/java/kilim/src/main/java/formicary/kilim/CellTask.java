package formicary.kilim;

import formicary.lab.Cell;
import formicary.lab.Grid;
import formicary.lab.ToCell;
import kilim.Mailbox;
import kilim.Pausable;
import kilim.Task;

/** A cell's task, which Kilim weaves into one that can be paused. */
final class CellTask extends Task<Void> {
    private final Cell cell;
    private final Mailbox<ToCell> mailbox;

    CellTask(Grid grid, int place, Mailbox<ToCell> mailbox) {
        this.cell = new Cell(grid, place);
        this.mailbox = mailbox;
    }

    @Override
    public void execute() throws Pausable {
        while (true) {
            cell.handle(mailbox.get());
        }
    }
}
